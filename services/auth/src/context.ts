import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import { createWake, type Wake } from '@family-inbox/service-kit/lifecycle/sweep'
import type { Migration } from '@family-inbox/service-kit/mongo/migrate'
import { openDatabase } from '@family-inbox/service-kit/mongo/open-database'
import { mailLimitModel } from '@family-inbox/service-kit/mongo/rate-limit'
import { createLogger, type Logger } from '@family-inbox/service-kit/observability/logger'
import { dial } from '@family-inbox/service-kit/rpc/dial'
import { type Identity, serviceIdentity } from '@family-inbox/service-kit/rpc/identity'
import { type CareCircleClient, createRequireMember, type RequireMember } from '@family-inbox/workspace-kit/membership'
import { type MailQueue, openMailQueue } from '@family-inbox/workspace-kit/outgoing-mail'
import { createReadSwitches, type ReadSwitches } from '@family-inbox/workspace-kit/switches'
import type { Connection } from 'mongoose'
import type { Config } from './config.ts'
import { accountRemovalModel } from './models/account-removal.ts'
import { auditEntryModel } from './models/audit-entry.ts'
import { grantModel } from './models/grant.ts'
import { oauthRecordModel } from './models/oauth-record.ts'
import { passkeyModel } from './models/passkey.ts'
import { personModel } from './models/person.ts'
import { rateLimitModel } from './models/rate-limit.ts'
import { recoverySheetModel } from './models/recovery-sheet.ts'
import { sessionModel } from './models/session.ts'
import { setUpCodeModel } from './models/set-up-code.ts'
import { signInChallengeModel } from './models/sign-in-challenge.ts'
import { toolKeyModel } from './models/tool-key.ts'
import { usedCeremonyModel } from './models/used-ceremony.ts'

/** Oldest first. Never remove or reorder one. */
export const MIGRATIONS = [] as const satisfies readonly Migration[]

export type Context = AsyncDisposable &
  Models & {
    config: Config
    logger: Logger
    identity: Identity
    careCircle: CareCircleClient
    requireMember: RequireMember
    readSwitches: ReadSwitches
    connection: Connection
    mailQueue: MailQueue
    wake: { alarms: Wake }
  }

type Models = ReturnType<typeof modelsOf>

export async function createContext(config: Config): Promise<Context> {
  const logger = createLogger('auth', config.logLevel)
  const identity = await serviceIdentity(config, logger)
  const careCircle = dial(CareCircleServiceService, config.careCircleAddress, identity)
  const mailQueue = openMailQueue(config, identity, logger)
  const models = (connection: Connection) => modelsOf(connection, config)
  const database = await openDatabase({ uri: config.mongodbUri, models, migrations: MIGRATIONS, logger })
  return {
    config,
    logger,
    identity,
    careCircle,
    requireMember: createRequireMember(careCircle),
    readSwitches: createReadSwitches({
      settings: { signUp: config.signUp },
      isSwitchable: config.hasOperatorPage,
      ask: () => careCircle.getSwitches({}),
      logger,
    }),
    ...database,
    mailQueue,
    wake: { alarms: createWake() },
    async [Symbol.asyncDispose]() {
      careCircle.close()
      await Promise.all([database.connection.close(), mailQueue[Symbol.asyncDispose]()])
    },
  }
}

function modelsOf(connection: Connection, { callsKeptDays }: Config) {
  return {
    people: personModel(connection),
    accountRemovals: accountRemovalModel(connection),
    sessions: sessionModel(connection),
    setUpCodes: setUpCodeModel(connection),
    signInChallenges: signInChallengeModel(connection),
    passkeys: passkeyModel(connection),
    recoverySheets: recoverySheetModel(connection),
    usedCeremonies: usedCeremonyModel(connection),
    toolKeys: toolKeyModel(connection),
    grants: grantModel(connection),
    oauthRecords: oauthRecordModel(connection),
    rateLimits: rateLimitModel(connection),
    mailLimits: mailLimitModel(connection),
    auditEntries: auditEntryModel(connection, callsKeptDays),
  }
}
