import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import { createSecretBox, type SecretBox } from '@family-inbox/service-kit/config/secret-box'
import { createWake, type Wake } from '@family-inbox/service-kit/lifecycle/sweep'
import type { Migration } from '@family-inbox/service-kit/mongo/migrate'
import { openDatabase } from '@family-inbox/service-kit/mongo/open-database'
import { createLogger, type Logger } from '@family-inbox/service-kit/observability/logger'
import { dial, type RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { type Identity, serviceIdentity } from '@family-inbox/service-kit/rpc/identity'
import { type CareEventQueue, openCareEventQueue } from '@family-inbox/workspace-kit/care-events'
import { createRequireMember, type RequireMember } from '@family-inbox/workspace-kit/membership'
import type { Connection } from 'mongoose'
import type { Config } from './config.ts'
import { confirmationModel } from './models/confirmation.ts'
import { eventModel } from './models/event.ts'
import { linkModel } from './models/link.ts'
import { createMarkPublished, type MarkPublished } from './models/mark-published.ts'
import { createSigningKeys, partnerModel, type SigningKeys } from './models/partner.ts'
import { createTakeEvents, rateLimitModel, type TakeEvents } from './models/rate-limit.ts'

/** Oldest first. Never remove or reorder one. */
export const MIGRATIONS = [] as const satisfies readonly Migration[]

export type Context = AsyncDisposable & {
  config: Config
  logger: Logger
  identity: Identity
  connection: Connection
  partners: ReturnType<typeof partnerModel>
  links: ReturnType<typeof linkModel>
  events: ReturnType<typeof eventModel>
  rateLimits: ReturnType<typeof rateLimitModel>
  confirmations: ReturnType<typeof confirmationModel>
  secretBox: SecretBox
  signingKeys: SigningKeys
  careEvents: CareEventQueue
  published: MarkPublished
  takeEvents: TakeEvents
  careCircle: RpcClient<typeof CareCircleServiceService>
  requireMember: RequireMember
  wake: { purges: Wake; unpublished: Wake }
}

export async function createContext(config: Config): Promise<Context> {
  const logger = createLogger('pipe', config.logLevel)
  const identity = await serviceIdentity(config, logger)
  const careCircle = dial(CareCircleServiceService, config.careCircleAddress, identity)
  const careEvents = openCareEventQueue(config, logger)
  const database = await openDatabase({
    uri: config.mongodbUri,
    models: (connection) => ({
      partners: partnerModel(connection),
      links: linkModel(connection),
      events: eventModel(connection),
      rateLimits: rateLimitModel(connection),
      confirmations: confirmationModel(connection),
    }),
    migrations: MIGRATIONS,
    logger,
  })
  const secretBox = createSecretBox(config.secretKeys)
  const published = createMarkPublished(database.events, logger)
  return {
    config,
    logger,
    identity,
    ...database,
    secretBox,
    signingKeys: createSigningKeys(secretBox),
    careEvents,
    published,
    takeEvents: createTakeEvents(database.rateLimits, config.eventsPerMinute),
    careCircle,
    requireMember: createRequireMember(careCircle),
    wake: { purges: createWake(), unpublished: createWake() },
    async [Symbol.asyncDispose]() {
      careCircle.close()
      await careEvents[Symbol.asyncDispose]()
      await published[Symbol.asyncDispose]()
      await database.connection.close()
    },
  }
}
