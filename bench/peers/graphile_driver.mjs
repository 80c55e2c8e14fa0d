// Graphile Worker as bench/outbox drives it; the protocol is in driver.mjs. Its settings in each case are the
// fastest found, so that a lead over it is a lead over Graphile Worker at its best.
import { chosen, drive, fails, give_up, insert_row, warm_pool } from './driver.mjs'

import { Logger, makeWorkerUtils, run } from 'graphile-worker'

const task = 'order_placed'
const producers = 4        // fewer leave the worker waiting for jobs in flow
const row_connections = 64 // the more insert at once, the more rows one flush of the log carries

// As its documentation has it for many small jobs; completions go unawaited, ten milliseconds' worth at a time.
const batching = {
    connections: 12,
    worker: {
        concurrentJobs: 100, localQueue: { size: 5000 },
        completeJobBatchDelay: 10, failJobBatchDelay: 10
    }
}

const settings_of = {
    // Its defaults, but for the concurrency of its own benchmark; the default is 1.
    stock: () => ({ runners: 1, connections: 26, worker: { concurrentJobs: 24 } }),

    // A local queue is filled only when it is empty, so one runner waits for every fetch. Three in one process,
    // each with its own queue, work while another fetches: 1.3 to 1.6 times as fast on a backlog, no gain in flow.
    tuned: (workload) => ({
        drain: { ...batching, runners: 3 },
        flow: { ...batching, runners: 1 },
        // Without a local queue each of its workers asks the database again after a job; with one only the queue does.
        latency: {
            ...batching, runners: 1,
            worker: { ...batching.worker, concurrentJobs: 10, localQueue: { size: 100 } }
        }
    })[workload],

    // No local queue and no delays; of the concurrencies 4 to 90 this and 24 are the fastest.
    unbatched: () => ({ runners: 1, connections: 50, worker: { concurrentJobs: 48 } })
}

// A handler that throws is an error of the job, any other ends the run.
const logger = new Logger(() => (level, message, meta) => {
    if (level === 'error' && !meta?.failure) give_up(message)
})

await drive(async ({ verb, workload = 'drain', settings, handler }, meter) => {
    const { connections, runners, worker } = chosen(settings_of, settings)(workload)
    const producer = await warm_pool(producers)
    const utils = await makeWorkerUtils({ pgPool: producer, logger })
    const pool = verb === 'work' ? await warm_pool(connections) : null
    const rows = verb === 'work' && handler === 'row' ? await warm_pool(row_connections) : null
    const spec = handler === 'failing' ? { maxAttempts: 1 } : {}
    const running = []

    const handlers = {
        noop: (payload) => meter.seen(payload),
        row: (payload) => {
            meter.seen(payload)
            return insert_row(rows, payload)
        },
        failing: (payload) => {
            meter.seen(payload)
            if (fails(payload)) throw new Error('every tenth job fails')
        }
    }
    const handle = chosen(handlers, handler)

    const start = async () => {
        for (let i = 0; i < runners; i++) {
            const runner = await run({
                pgPool: pool, logger, noHandleSignals: true, parsedCronItems: [],
                taskList: { [task]: handle }, preset: { worker }
            })
            runner.promise.catch(give_up)
            running.push(runner)
        }
    }

    return {
        producers,
        migrate: () => utils.migrate(),
        add: (payloads) => utils.addJobs(payloads.map((payload) => ({ identifier: task, payload, ...spec }))),
        send: (payload) => utils.addJob(task, payload, spec),
        listen: start,
        work: start,
        pending: async () => {
            // Every runner keeps one connection to listen; a statement on any other is a job not yet over.
            if (pool.waitingCount > 0 || pool.totalCount - pool.idleCount > runners) return true
            const { rows: [{ some }] } = await producer.query(`
                select exists (select from graphile_worker._private_jobs
                               where is_available or locked_at is not null) as some`)
            return some
        },
        close: async () => {
            for (const runner of running) await runner.stop()
            await utils.release()
            for (const each of [pool, producer, rows]) await each?.end()
        }
    }
})
