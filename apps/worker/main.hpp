#pragma once

#include <cuebox/worker/setup.hpp>

#include <string>

namespace cuebox::worker {

// What a program says of itself.
struct program
{
    // For --version, logs, metrics, alerts and traces; without it there is no --version.
    std::string version{};
    // The first line of --help.
    std::string about = "Run the listening contexts of a supervisor config";
};

// The main() of a worker with handlers of its own: `cuebox worker`, with its arguments (--config,
// --database, --check, --json), signals, logs, metrics and exit codes. docs/configuration.md tells
// of them.
//
//     int main(int argc, char** argv)
//     {
//         cuebox::registry handlers;
//         handlers.on<order_placed>("billing.send_invoice", &send_invoice);
//         return cuebox::worker::main(argc, argv, handlers);
//     }
int main(int argc, char** argv, const registry& handlers, const program& about = {});

// With handlers that are actors: furnished thread by thread, see setup.
//
//     return cuebox::worker::main(argc, argv, [](cuebox::worker::setup& it) {
//         auto at = it.tree().add<ledger>("ledger");
//         it.handlers().add(cuebox::make_actor_handler<order_placed>("billing.ledger", it.loop(),
//         at));
//     });
int main(int argc, char** argv, const equipment& equip, const program& about = {});

}
