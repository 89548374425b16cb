import { migrate } from '@family-inbox/service-kit/mongo/migrate'
import { connectMongo } from '@family-inbox/service-kit/mongo/mongo'
import { createLogger } from '@family-inbox/service-kit/observability/logger'
import { migrations } from '../../services/inbox/src/migrations/index.ts'

/** Migrates a database in a process that a test can kill: `node _migrate.ts <uri> <lease in ms>`. */
const [uri = '', leaseMs] = process.argv.slice(2)
const logger = createLogger('test', 'error')
const connection = await connectMongo(uri, logger)
process.stdout.write('begins\n')
await migrate(connection, migrations, logger, { leaseMs: Number(leaseMs), renewEveryMs: Number(leaseMs) / 4 })
await connection.close()
process.stdout.write('ends\n')
