import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import { InboxServiceService } from '@family-inbox/proto/inbox/v1/inbox'
import { createWake, type Wake } from '@family-inbox/service-kit/lifecycle/sweep'
import type { Migration } from '@family-inbox/service-kit/mongo/migrate'
import { openDatabase } from '@family-inbox/service-kit/mongo/open-database'
import { createLogger, type Logger } from '@family-inbox/service-kit/observability/logger'
import { createKeyedBatcher } from '@family-inbox/service-kit/rpc/batch'
import { dial, type RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { type Identity, serviceIdentity } from '@family-inbox/service-kit/rpc/identity'
import { createReadSwitches, type ReadSwitches } from '@family-inbox/workspace-kit/switches'
import type { Connection } from 'mongoose'
import type { Config } from './config.ts'
import { bucketModel, type TokenBucket, takeTokens } from './models/bucket.ts'
import { sandboxModel } from './models/sandbox.ts'
import { type OpsNotifications, openOpsNotifications } from './ops-notifications.ts'

/** Oldest first. Never remove or reorder one. */
export const MIGRATIONS = [] as const satisfies readonly Migration[]

export type Context = AsyncDisposable & {
  config: Config
  logger: Logger
  identity: Identity
  connection: Connection
  sandboxes: ReturnType<typeof sandboxModel>
  buckets: ReturnType<typeof bucketModel>
  /** Takes one token, or returns the milliseconds to wait. Concurrent calls for one bucket share a round trip. */
  takeToken: (bucketId: string, bucket: TokenBucket) => Promise<number | undefined>
  careCircle: RpcClient<typeof CareCircleServiceService>
  inbox: RpcClient<typeof InboxServiceService>
  readSwitches: ReadSwitches
  opsNotifications: OpsNotifications
  wake: { sandboxes: Wake }
}

export async function createContext(config: Config): Promise<Context> {
  const logger = createLogger('sandbox', config.logLevel)
  const identity = await serviceIdentity(config, logger)
  const careCircle = dial(CareCircleServiceService, config.careCircleAddress, identity)
  const inbox = dial(InboxServiceService, config.inboxAddress, identity)
  const opsNotifications = openOpsNotifications(config, logger)
  const models = (connection: Connection) => ({ sandboxes: sandboxModel(connection), buckets: bucketModel(connection) })
  const database = await openDatabase({ uri: config.mongodbUri, models, migrations: MIGRATIONS, logger })
  return {
    config,
    logger,
    identity,
    ...database,
    takeToken: createKeyedBatcher((id: string, asked: TokenBucket[]) => takeTokens(database.buckets, id, asked)),
    careCircle,
    readSwitches: createReadSwitches({
      settings: { hasSandbox: config.isOn },
      isSwitchable: config.hasOperatorPage,
      ask: () => careCircle.getSwitches({}),
      logger,
    }),
    inbox,
    opsNotifications,
    wake: { sandboxes: createWake() },
    async [Symbol.asyncDispose]() {
      for (const client of [careCircle, inbox]) client.close()
      await Promise.all([database.connection.close(), opsNotifications[Symbol.asyncDispose]()])
    },
  }
}
