#pragma once

// All of Cuebox that a service uses, for a first program and for those who do not mind the time it
// takes to compile. The CMake target is cuebox::cuebox. What it includes is also the list of
// headers to choose from.

// Actors, and time that tests own.
#include <cuebox/runtime/ask.hpp>
#include <cuebox/runtime/offload.hpp>
#include <cuebox/runtime/scope.hpp>
#include <cuebox/runtime/self.hpp>
#include <cuebox/runtime/stage.hpp>
#include <cuebox/runtime/tree.hpp>
// Trees of actors from a description.
#include <cuebox/compose/compose.hpp>
// Typed events and their contracts.
#include <cuebox/event/contract.hpp>
#include <cuebox/event/decode.hpp>
#include <cuebox/event/encode.hpp>
// The Postgres client.
#include <cuebox/pg/connection.hpp>
#include <cuebox/pg/copy_in.hpp>
#include <cuebox/pg/error.hpp>
#include <cuebox/pg/foreign.hpp>
#include <cuebox/pg/identifier.hpp>
#include <cuebox/pg/pipeline.hpp>
#include <cuebox/pg/pool.hpp>
#include <cuebox/pg/savepoint.hpp>
#include <cuebox/pg/transaction.hpp>
// A private Postgres.
#include <cuebox/embedded/server.hpp>
#include <cuebox/embedded/shared_server.hpp>
// Publishing.
#include <cuebox/outbox/bulk.hpp>
#include <cuebox/outbox/migrate.hpp>
#include <cuebox/outbox/publisher.hpp>
#include <cuebox/outbox/waker.hpp>
// Handling.
#include <cuebox/actors/context.hpp>
#include <cuebox/handlers/actor_handler.hpp>
#include <cuebox/handlers/agent_tasks/task_handler.hpp>
#include <cuebox/handlers/agent_tasks/tasks.hpp>
#include <cuebox/handlers/registry.hpp>
// Operating and seeing it.
#include <cuebox/operations/dead_letters.hpp>
#include <cuebox/operations/event_detail.hpp>
#include <cuebox/operations/events.hpp>
#include <cuebox/operations/generations.hpp>
#include <cuebox/operations/recovery.hpp>
#include <cuebox/operations/status.hpp>
#include <cuebox/operations/sweep.hpp>
#include <cuebox/telemetry/quill_log.hpp>
// A worker process; a Cuebox built with CUEBOX_APPS=OFF does not have it.
#if __has_include(<cuebox/worker/main.hpp>)
#include <cuebox/worker/main.hpp>
#include <cuebox/worker/run.hpp>
#endif
