import { type MailQueue, openMailQueue } from '@family-inbox/outgoing-mail/mail-queue'
import { createIdentity, type Identity } from '@family-inbox/service-kit/identity'
import { createLogger, type Logger } from '@family-inbox/service-kit/logger'
import { connectMongo, createIndexes } from '@family-inbox/service-kit/mongo'
import type { Connection } from 'mongoose'
import type { Config } from './config.ts'
import { careEventModel } from './models/care-event.ts'
import { invitationModel } from './models/invitation.ts'
import { lovedOneModel } from './models/loved-one.ts'
import { mailAllowanceModel } from './models/mail-allowance.ts'
import { memberModel } from './models/member.ts'
import { providerCodeModel } from './models/provider-code.ts'
import { removalModel } from './models/removal.ts'
import { workspaceModel } from './models/workspace.ts'

export type Context = AsyncDisposable & {
  config: Config
  logger: Logger
  identity: Identity
  connection: Connection
  workspaces: ReturnType<typeof workspaceModel>
  members: ReturnType<typeof memberModel>
  invitations: ReturnType<typeof invitationModel>
  lovedOnes: ReturnType<typeof lovedOneModel>
  mailAllowances: ReturnType<typeof mailAllowanceModel>
  providerCodes: ReturnType<typeof providerCodeModel>
  careEvents: ReturnType<typeof careEventModel>
  removals: ReturnType<typeof removalModel>
  mailQueue: MailQueue
}

/** Builds what the handlers work with: the database and the models, and the queue of outgoing mail. */
export async function createContext(config: Config): Promise<Context> {
  const logger = createLogger('care-circle', config.logLevel)
  const identity = await createIdentity(config.serviceKey, config.serviceKeys)
  const connection = await connectMongo(config.mongodbUri, logger)
  const models = {
    workspaces: workspaceModel(connection),
    members: memberModel(connection),
    invitations: invitationModel(connection),
    lovedOnes: lovedOneModel(connection),
    mailAllowances: mailAllowanceModel(connection),
    providerCodes: providerCodeModel(connection),
    careEvents: careEventModel(connection),
    removals: removalModel(connection),
  }
  await createIndexes(connection)
  const mailQueue = openMailQueue(config, logger)
  return {
    config,
    logger,
    identity,
    connection,
    ...models,
    mailQueue,
    async [Symbol.asyncDispose]() {
      await mailQueue[Symbol.asyncDispose]()
      await connection.close()
    },
  }
}
