// Times bulk enqueueing: a number of jobs, a thousand to a call, on so many connections at once. Prints
// one line of JSON: {"count", "seconds"}; count is what the table holds afterwards.
import { readFileSync } from 'node:fs'
import pg from 'pg'

const per_call = 1000

// `open` gives { add(jobs), close() } and has its schema ready; `table` is where the jobs end up.
export async function bulk({ table, open, job }) {
    const [payload_file, messages, connections] = process.argv.slice(2)
    const payload = JSON.parse(readFileSync(payload_file, 'utf8'))
    const calls = Math.max(1, Math.round(Number(messages) / per_call))
    const pool = new pg.Pool({ max: Number(connections) })
    const system = await open(pool)
    const call = (first) => system.add(
        Array.from({ length: per_call }, (_, i) => job({ ...payload, number: first + i })))

    await Promise.all(Array.from({ length: Number(connections) }, () => call(0)))
    await pool.query(`truncate ${table}`)
    await pool.query('checkpoint')
    let next = 0
    const lane = async () => {
        while (next < calls) await call(next++ * per_call)
    }
    const begin = process.hrtime.bigint()
    await Promise.all(Array.from({ length: Number(connections) }, lane))
    const seconds = Number(process.hrtime.bigint() - begin) / 1e9

    const { rows } = await pool.query(`select count(*)::int as count from ${table}`)
    await pool.query(`truncate ${table}`)
    await system.close()
    await pool.end()
    console.log(JSON.stringify({ count: rows[0].count, seconds }))
}
