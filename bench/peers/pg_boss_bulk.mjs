import { PgBoss } from 'pg-boss'

import { bulk } from './bulk.mjs'

const queue = 'order_placed'

await bulk({
    table: 'pgboss.job',
    open: async (pool) => {
        // On the pool of the others, and without its own maintenance, which would only take from it.
        const db = { executeSql: (text, values) => pool.query(text, values) }
        const boss = new PgBoss({ db, supervise: false, schedule: false })
        boss.on('error', (error) => { throw error })
        await boss.start()
        await boss.createQueue(queue)
        return { add: (jobs) => boss.insert(queue, jobs), close: () => boss.stop({ graceful: false }) }
    },
    job: (payload) => ({ data: payload })
})
