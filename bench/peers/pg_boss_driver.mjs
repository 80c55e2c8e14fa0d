// pg-boss as bench/outbox drives it; the protocol is in driver.mjs. Its settings in each case are the fastest
// found, so that a lead over it is a lead over pg-boss at its best.
import { randomUUID } from 'node:crypto'

import { chosen, drive, fails, give_up, insert_row, open_all, sleep, warm_pool } from './driver.mjs'

import { PgBoss } from 'pg-boss'

const queue = 'order_placed'
const producers = 4        // fewer leave the worker waiting for jobs in flow
const row_connections = 64 // the more insert at once, the more rows one flush of the log carries
const empty_pause = 5      // milliseconds from a fetch that found nothing to the next one

// Lanes, each a loop that fetches a batch and completes it, over `fetch` and `complete`, which are public. They
// flatter pg-boss: its own `work()` takes one job every two seconds with its defaults, and with the best options
// found it is slower than the loop. So "stock" is as many jobs one by one as the loop gets through; nothing that
// comes with defaults is faster.
const settings_of = {
    stock: () => ({ lanes: 32, batch: 1 }),
    tuned: (workload) => ({ lanes: workload === 'flow' ? 2 : 4, batch: 2000 }),
    unbatched: () => ({ lanes: 32, batch: 1 })
}

// An id that grows with time (UUID version 7), which `insert` takes and which spares the server 15 % of its work: the
// random ones of pg-boss spread over the whole index.
let sequence = 0
const growing_id = () => {
    const time = Date.now().toString(16).padStart(12, '0')
    const next = (sequence++ & 0xfff).toString(16).padStart(3, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${next}-${randomUUID().slice(19)}`
}

await drive(async ({ verb, workload = 'drain', settings, handler }, meter) => {
    const { lanes, batch } = chosen(settings_of, settings)(workload)
    const as_it_comes = settings === 'stock'
    const notified = workload === 'latency'
    const boss_on = async (connections) => {
        // Without its maintenance and its clock, which would only take from it.
        const boss = new PgBoss({
            max: connections, idleTimeoutMillis: 0, supervise: false, schedule: false, useListenNotify: notified
        })
        boss.on('error', give_up)
        await boss.start()
        await open_all(boss.getDb().pool, connections)
        return boss
    }
    const producer = await boss_on(producers)
    const boss = verb === 'work' ? await boss_on(lanes + 4) : null
    const rows = verb === 'work' && handler.startsWith('row') ? await warm_pool(row_connections) : null

    const ids = (jobs) => jobs.map((job) => job.id)
    const complete = (jobs) => boss.complete(queue, ids(jobs))
    const settlers = {
        noop: complete,
        row: async (jobs) => {
            await Promise.all(jobs.map((job) => insert_row(rows, job.data)))
            await complete(jobs)
        },
        rows: async (jobs) => {
            await rows.query({
                name: 'rows',
                text: `insert into public.projection (number, filling)
                       select * from unnest($1::bigint[], $2::text[])`,
                values: [jobs.map((job) => job.data.number), jobs.map((job) => job.data.filling)]
            })
            await complete(jobs)
        },
        failing: async (jobs) => {
            const good = [], bad = []
            for (const job of jobs) {
                try {
                    if (fails(job.data)) throw new Error('every tenth job fails')
                    good.push(job)
                } catch {
                    bad.push(job)
                }
            }
            await Promise.all([
                good.length > 0 && complete(good),
                bad.length > 0 && boss.fail(queue, ids(bad), { message: 'every tenth job fails' })])
        }
    }
    const settle = chosen(settlers, handler)

    let ending = false
    let busy = 0
    const lane = async () => {
        while (!ending) {
            const jobs = await boss.fetch(queue, { batchSize: batch })
            if (jobs.length === 0) {
                await sleep(empty_pause)
                continue
            }
            busy++
            for (const job of jobs) meter.seen(job.data)
            await settle(jobs)
            busy--
        }
    }
    let running = []
    const start = () => {
        running = Array.from({ length: lanes }, lane)
        for (const each of running) each.catch(give_up)
    }

    const options = handler === 'failing' ? { retryLimit: 0 } : {}
    const insertion = (data) => ({ data, ...options, ...(as_it_comes ? {} : { id: growing_id() }) })

    return {
        producers,
        // A table of its own has fewer indexes.
        migrate: () => producer.createQueue(queue, { partition: !as_it_comes, notify: true }),
        add: (payloads) => producer.insert(queue, payloads.map(insertion)),
        send: (payload) => producer.send(queue, payload, options),
        // `notify` above costs nothing unless the sender listens too, as it does here only for latency, where
        // `work()` is woken: two milliseconds or so instead of the half second that it polls at its fastest.
        listen: () => notified ? boss.work(queue, async ([job]) => meter.seen(job.data)) : start(),
        work: start,
        pending: async () => {
            if (busy > 0) return true
            const { rows: [{ some }] } = await producer.getDb().executeSql(
                "select exists (select from pgboss.job where state < 'completed') as some")
            return some
        },
        close: async () => {
            ending = true
            await Promise.all(running)
            for (const each of [boss, producer]) await each?.stop({ graceful: false })
            await rows?.end()
        }
    }
})
