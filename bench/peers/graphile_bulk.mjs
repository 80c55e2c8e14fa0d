import { Logger, makeWorkerUtils } from 'graphile-worker'

import { bulk } from './bulk.mjs'

await bulk({
    table: 'graphile_worker._private_jobs',
    open: async (pool) => {
        const utils = await makeWorkerUtils({ pgPool: pool, logger: new Logger(() => () => {}) })
        await utils.migrate()
        return { add: (jobs) => utils.addJobs(jobs), close: () => utils.release() }
    },
    job: (payload) => ({ identifier: 'order_placed', payload })
})
