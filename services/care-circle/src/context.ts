import { PipeServiceService } from '@family-inbox/proto/pipe/v1/pipe'
import { createWake, type Wake } from '@family-inbox/service-kit/lifecycle/sweep'
import { createFindByIds, type FindByIds } from '@family-inbox/service-kit/mongo/find-by-ids'
import type { Migration } from '@family-inbox/service-kit/mongo/migrate'
import { openDatabase } from '@family-inbox/service-kit/mongo/open-database'
import { mailLimitModel } from '@family-inbox/service-kit/mongo/rate-limit'
import { type DurableStream, openDurableStream } from '@family-inbox/service-kit/nats/durable-stream'
import { createLogger, type Logger } from '@family-inbox/service-kit/observability/logger'
import { dial, type RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { type Identity, serviceIdentity } from '@family-inbox/service-kit/rpc/identity'
import { ensureCalendarChangeStream } from '@family-inbox/workspace-kit/calendar-changes'
import { ensureCareEventStream } from '@family-inbox/workspace-kit/care-events'
import { type MailQueue, openMailQueue } from '@family-inbox/workspace-kit/outgoing-mail'
import { ensureProposalStream } from '@family-inbox/workspace-kit/proposal-notices'
import { createReadSwitches, type ReadSwitches } from '@family-inbox/workspace-kit/switches'
import type { Connection } from 'mongoose'
import type { Config } from './config.ts'
import { dateActive } from './migrations/date-active.ts'
import { appointmentModel } from './models/appointment.ts'
import { calendarFeedModel } from './models/calendar-feed.ts'
import { careEventModel } from './models/care-event.ts'
import { deadLetterModel } from './models/dead-letter.ts'
import { emergencyLinkModel } from './models/emergency-link.ts'
import { emergencySheetModel } from './models/emergency-sheet.ts'
import { invitationModel } from './models/invitation.ts'
import { invitationProposalModel } from './models/invitation-proposal.ts'
import { type LovedOne, lovedOneModel } from './models/loved-one.ts'
import { type Member, memberModel } from './models/member.ts'
import { providerCodeModel } from './models/provider-code.ts'
import { purgedLinkModel } from './models/purged-link.ts'
import { removalModel } from './models/removal.ts'
import { findSwitches, switchModel } from './models/switch.ts'
import { switchChangeModel } from './models/switch-change.ts'
import { toDoModel } from './models/to-do.ts'
import { untakenEventsModel } from './models/untaken-events.ts'
import { workspaceModel } from './models/workspace.ts'

/** Oldest first. Never remove or reorder one. */
export const MIGRATIONS = [dateActive] as const satisfies readonly Migration[]

export type Context = AsyncDisposable & {
  config: Config
  logger: Logger
  identity: Identity
  connection: Connection
  workspaces: ReturnType<typeof workspaceModel>
  members: ReturnType<typeof memberModel>
  invitations: ReturnType<typeof invitationModel>
  invitationProposals: ReturnType<typeof invitationProposalModel>
  lovedOnes: ReturnType<typeof lovedOneModel>
  mailLimits: ReturnType<typeof mailLimitModel>
  providerCodes: ReturnType<typeof providerCodeModel>
  careEvents: ReturnType<typeof careEventModel>
  deadLetters: ReturnType<typeof deadLetterModel>
  purgedLinks: ReturnType<typeof purgedLinkModel>
  pipe: RpcClient<typeof PipeServiceService>
  removals: ReturnType<typeof removalModel>
  switches: ReturnType<typeof switchModel>
  switchChanges: ReturnType<typeof switchChangeModel>
  readSwitches: ReadSwitches
  appointments: ReturnType<typeof appointmentModel>
  untakenEvents: ReturnType<typeof untakenEventsModel>
  toDos: ReturnType<typeof toDoModel>
  calendarFeeds: ReturnType<typeof calendarFeedModel>
  emergencySheets: ReturnType<typeof emergencySheetModel>
  emergencyLinks: ReturnType<typeof emergencyLinkModel>
  findMembers: FindByIds<Member>
  findLovedOnes: FindByIds<LovedOne>
  mailQueue: MailQueue
  eventStream: DurableStream
  calendarStream: DurableStream
  proposalStream: DurableStream
  wake: Record<
    'invitations' | 'proposals' | 'newFeeds' | 'notices' | 'reminders' | 'removals' | 'urgentMail' | 'emergencyLinks',
    Wake
  >
}

/** Their ids begin with the workspace’s. */
const BY_WORKSPACE = { prefixField: 'workspaceId' }

export async function createContext(config: Config): Promise<Context> {
  const logger = createLogger('care-circle', config.logLevel)
  const identity = await serviceIdentity(config, logger)
  const pipe = dial(PipeServiceService, config.pipeAddress, identity)
  const database = await openDatabase({
    uri: config.mongodbUri,
    models: (connection) => ({
      workspaces: workspaceModel(connection),
      members: memberModel(connection),
      invitations: invitationModel(connection),
      invitationProposals: invitationProposalModel(connection),
      lovedOnes: lovedOneModel(connection),
      mailLimits: mailLimitModel(connection),
      providerCodes: providerCodeModel(connection),
      careEvents: careEventModel(connection),
      deadLetters: deadLetterModel(connection, config.deadLettersKeptDays),
      purgedLinks: purgedLinkModel(connection),
      removals: removalModel(connection),
      switches: switchModel(connection),
      switchChanges: switchChangeModel(connection),
      appointments: appointmentModel(connection),
      untakenEvents: untakenEventsModel(connection),
      toDos: toDoModel(connection),
      calendarFeeds: calendarFeedModel(connection),
      emergencySheets: emergencySheetModel(connection),
      emergencyLinks: emergencyLinkModel(connection),
    }),
    migrations: MIGRATIONS,
    logger,
  })
  const mailQueue = openMailQueue(config, identity, logger)
  const eventStream = openDurableStream(config, (nats) => ensureCareEventStream(nats, config.natsReplicas), logger)
  const calendarStream = openDurableStream(
    config,
    (nats) => ensureCalendarChangeStream(nats, config.natsReplicas),
    logger,
  )
  const proposalStream = openDurableStream(config, (nats) => ensureProposalStream(nats, config.natsReplicas), logger)
  return {
    config,
    logger,
    identity,
    ...database,
    readSwitches: createReadSwitches({
      settings: { signUp: config.signUp },
      isSwitchable: config.hasOperatorPage,
      ask: async () => ({ switches: await findSwitches(database.switches) }),
      logger,
    }),
    findMembers: createFindByIds(database.members.collection, {}, BY_WORKSPACE),
    findLovedOnes: createFindByIds(database.lovedOnes.collection),
    pipe,
    mailQueue,
    eventStream,
    calendarStream,
    proposalStream,
    wake: {
      invitations: createWake(),
      proposals: createWake(),
      newFeeds: createWake(),
      notices: createWake(),
      reminders: createWake(),
      removals: createWake(),
      urgentMail: createWake(),
      emergencyLinks: createWake(),
    },
    async [Symbol.asyncDispose]() {
      pipe.close()
      await Promise.all(
        [mailQueue, eventStream, calendarStream, proposalStream].map((stream) => stream[Symbol.asyncDispose]()),
      )
      await database.connection.close()
    },
  }
}
