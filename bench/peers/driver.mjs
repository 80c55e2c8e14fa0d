// The protocol that every system of bench/outbox speaks, for the systems that run in Node.js:
//
//     DRIVER prepare JSON    makes the tables and adds the jobs
//     DRIVER work JSON       says {"phase": "ready"}, waits for a line, works, says {"phase": "done", ...},
//                            waits for a line or the end of its input, and leaves
//
// A driver gives `drive` a function that opens its system:
//
//     open({ verb, workload, settings, handler }, meter) gives {
//         producers        how many calls of add to make at once
//         migrate()        makes what the system needs in an empty database
//         add(payloads)    adds many jobs in one call
//         send(payload)    adds one job as one usually does
//         listen()         starts a worker on an empty queue, before the clock runs
//         work()           starts a worker on a full queue; the clock runs
//         pending()        whether the database holds a job that is not over
//         close() }
import { createInterface } from 'node:readline'
import pg from 'pg'

// Graphile Worker asks this when it is loaded, and would otherwise write a line for every job.
process.env.NO_LOG_SUCCESS = '1'

const filling = 'x'.repeat(150)
const per_prepare = 1000    // jobs in a call of prepare
const per_publish = 100     // jobs in a call of the producer of flow
const window_usual = 20000  // jobs that may be published and not yet handled
const warm_up = 20          // jobs before those of latency count
const pause_between = 5     // milliseconds from a job handled to the next one sent
const patience = 60_000     // milliseconds without any progress after which something is wrong

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

export function give_up(error) {
    process.stderr.write(`${process.argv[1]}: ${error?.stack ?? error}\n`)
    process.exit(1)
}

export function chosen(choices, name) {
    if (!Object.hasOwn(choices, name)) throw new Error(`${name} is none of ${Object.keys(choices).join(', ')}`)
    return choices[name]
}

// A pool whose connections stay, all of them open before it is handed out.
export async function warm_pool(connections) {
    const pool = new pg.Pool({ max: connections, idleTimeoutMillis: 0 })
    pool.on('error', give_up)
    pool.on('connect', (client) => client.on('error', give_up))
    await open_all(pool, connections)
    return pool
}

export async function open_all(pool, connections) {
    const clients = await Promise.all(Array.from({ length: connections }, () => pool.connect()))
    for (const client of clients) client.release()
}

// One durable row per call; named, so that Postgres plans it once per connection.
export const insert_row = (pool, payload) => pool.query({
    name: 'row',
    text: 'insert into public.projection (number, filling) values ($1, $2)',
    values: [payload.number, payload.filling]
})

export const fails = (payload) => payload.number % 10 === 0

const job = (number, sent) => ({ number, sent, filling })

const percentiles = (latencies) => {
    const sorted = Float64Array.from(latencies).sort()
    const at = (share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
    const round = (milliseconds) => Math.round(milliseconds * 1000) / 1000
    return { p50: round(at(0.5)), p95: round(at(0.95)), p99: round(at(0.99)), max: round(at(1)) }
}

// Counts what handlers begin; `seen` is the first line of every handler.
class Meter {
    handled = 0
    latencies = []
    per_second = []
    began = 0
    awaited = null

    start() {
        this.began = performance.now()
    }

    seen(payload) {
        this.handled++
        if (!payload.sent) return
        const now = performance.now()
        this.latencies.push(now - payload.sent)
        const second = Math.floor((now - this.began) / 1000)
        while (this.per_second.length <= second) this.per_second.push(0)
        this.per_second[second]++
        this.awaited?.()
    }

    // Ends when the next handler begins.
    next() {
        return new Promise((resolve, reject) => {
            const late = setTimeout(() => reject(new Error('a job was not handled')), patience)
            this.awaited = () => {
                this.awaited = null
                clearTimeout(late)
                resolve()
            }
        })
    }
}

// Asks the database, and only once it is worth it: when all are handled, or when nothing moves, as at the
// end of a drain that is shared with other processes. Gives the moment of the last look, not of its answer.
async function settled(system, meter, published) {
    let before = -1
    let moved = performance.now()
    for (;;) {
        const all = meter.handled >= published
        const now = performance.now()
        if ((all || meter.handled === before) && !await system.pending()) return now
        if (meter.handled !== before) moved = now
        if (now - moved > patience) throw new Error(`${meter.handled} of ${published} jobs handled, and no more`)
        before = meter.handled
        await sleep(all ? 5 : 20)
    }
}

async function drain(system, meter, { events }) {
    await system.work()
    const end = await settled(system, meter, events)
    return { events: meter.handled, seconds: (end - meter.began) / 1000 }
}

// One call at a time would be slower than the worker, so the system says how many it takes.
async function produce(system, meter, request) {
    const { events = Infinity, seconds = Infinity, rate = Infinity, window = window_usual } = request
    let published = 0
    const lane = async () => {
        for (;;) {
            const elapsed = (performance.now() - meter.began) / 1000
            if (published >= events || elapsed >= seconds) return
            if (published - meter.handled >= window || published > rate * elapsed) {
                await sleep(1)
                continue
            }
            const first = published
            const count = Math.min(per_publish, events - first)
            published += count
            const sent = performance.now()
            await system.add(Array.from({ length: count }, (_, i) => job(first + i, sent)))
        }
    }
    await Promise.all(Array.from({ length: system.producers }, lane))
    return published
}

async function flow(system, meter, request) {
    const published = await produce(system, meter, request)
    const end = await settled(system, meter, published)
    const seconds = (end - meter.began) / 1000
    const per_second = Array.from({ length: Math.floor(seconds) }, (_, second) => meter.per_second[second] ?? 0)
    return { events: meter.handled, seconds, per_second, latency_ms: percentiles(meter.latencies) }
}

async function latency(system, meter, { events }) {
    for (let number = 0; number < warm_up + events; number++) {
        if (number === warm_up) {
            meter.latencies = []
            meter.start()
        }
        const handled = meter.next()
        await system.send(job(number, performance.now()))
        await handled
        await sleep(pause_between)
    }
    const seconds = (performance.now() - meter.began) / 1000
    return { events, seconds, latency_ms: percentiles(meter.latencies) }
}

async function prepare(open, request) {
    const system = await open({ ...request, verb: 'prepare' }, new Meter())
    await system.migrate()
    if (request.handler === 'row' || request.handler === 'rows') {
        const pool = await warm_pool(1)
        await pool.query('create table public.projection (number bigint primary key, filling text not null)')
        await pool.end()
    }
    let next = 0
    const lane = async () => {
        while (next < request.events) {
            const first = next
            const count = Math.min(per_prepare, request.events - first)
            next += count
            await system.add(Array.from({ length: count }, (_, i) => job(first + i, 0)))
        }
    }
    await Promise.all(Array.from({ length: system.producers }, lane))
    await system.close()
}

async function work(open, request) {
    const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
    const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)
    const meter = new Meter()
    const system = await open({ ...request, verb: 'work' }, meter)
    const workload = chosen({ drain, flow, latency }, request.workload)
    if (workload !== drain) await system.listen()

    say({ phase: 'ready' })
    if ((await lines.next()).done) throw new Error('nobody said go')
    meter.start()
    say({ phase: 'done', ...await workload(system, meter, request) })
    await lines.next()
    await system.close()
}

export async function drive(open) {
    process.on('unhandledRejection', give_up)
    process.on('uncaughtException', give_up)
    const [verb, text] = process.argv.slice(2)
    await chosen({ prepare, work }, verb)(open, { settings: 'tuned', handler: 'noop', ...JSON.parse(text) })
    // The work is over and closed; a line that is still awaited must not keep the process.
    process.exit(0)
}
