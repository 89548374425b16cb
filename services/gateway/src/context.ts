import {
  type AuditEntry,
  type AuthenticateResult,
  AuthServiceService,
  type Credential,
} from '@family-inbox/proto/auth/v1/auth'
import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import { InboxServiceService } from '@family-inbox/proto/inbox/v1/inbox'
import { PipeServiceService } from '@family-inbox/proto/pipe/v1/pipe'
import { SandboxServiceService } from '@family-inbox/proto/sandbox/v1/sandbox'
import { createHttpAgent } from '@family-inbox/service-kit/http/https-server'
import { createLogger, type Logger } from '@family-inbox/service-kit/observability/logger'
import { createBatcher } from '@family-inbox/service-kit/rpc/batch'
import { dial, type RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { type HealthClient, watchHealth } from '@family-inbox/service-kit/rpc/health'
import { type Identity, serviceIdentity } from '@family-inbox/service-kit/rpc/identity'
import { createRequireMember, type RequireMember } from '@family-inbox/workspace-kit/membership'
import { createReadSwitches, type ReadSwitches } from '@family-inbox/workspace-kit/switches'
import type { Config } from './config.ts'
import { watchHttpHealth } from './http/health.ts'
import { createLoadShedder, type LoadShedder } from './http/load-shedder.ts'
import { createRateLimit, type RateLimit } from './http/rate-limit.ts'

export type Context = Disposable & {
  config: Config
  logger: Logger
  identity: Identity
  careCircle: RpcClient<typeof CareCircleServiceService>
  inbox: RpcClient<typeof InboxServiceService>
  sandbox: RpcClient<typeof SandboxServiceService>
  pipe: RpcClient<typeof PipeServiceService>
  /** Identifies the caller and counts the call against the credential's limit. Batched. */
  authenticate: (credential: Credential) => Promise<AuthenticateResult>
  requireMember: RequireMember
  readSwitches: ReadSwitches
  /** Resolves when the record is durable. Batched. */
  recordCall: (call: AuditEntry) => Promise<unknown>
  /** Shared by all addresses, since they share this process. */
  loadShedder: LoadShedder
  rateLimit: RateLimit
  health: HealthClient[]
}

export async function createContext(config: Config): Promise<Context> {
  const logger = createLogger('gateway', config.logLevel)
  const { siteHttpAddress } = config
  const identity = await serviceIdentity(config, logger)
  const auth = dial(AuthServiceService, config.authAddress, identity)
  const careCircle = dial(CareCircleServiceService, config.careCircleAddress, identity)
  const inbox = dial(InboxServiceService, config.inboxAddress, identity)
  const sandbox = dial(SandboxServiceService, config.sandboxAddress, identity)
  const pipe = dial(PipeServiceService, config.pipeAddress, identity)
  const health = [
    watchHealth('auth', config.authAddress, identity),
    watchHealth('care-circle', config.careCircleAddress, identity),
    watchHealth('inbox', config.inboxAddress, identity),
    watchHealth('sandbox', config.sandboxAddress, identity),
    watchHealth('pipe', config.pipeAddress, identity),
    watchHttpHealth('site', siteHttpAddress, createHttpAgent(siteHttpAddress, identity.transport.tls)),
  ]
  return {
    config,
    logger,
    identity,
    careCircle,
    inbox,
    sandbox,
    pipe,
    authenticate: createBatcher(
      async (credentials: Credential[]) => (await auth.authenticate({ credentials })).results,
    ),
    requireMember: createRequireMember(careCircle),
    readSwitches: createReadSwitches({
      settings: config,
      isSwitchable: config.hasOperatorPage,
      ask: () => careCircle.getSwitches({}),
      logger,
    }),
    recordCall: createBatcher(async (entries: AuditEntry[]) => {
      await auth.recordAuditEntries({ entries })
      return entries
    }),
    loadShedder: createLoadShedder(),
    rateLimit: createRateLimit(),
    health,
    [Symbol.dispose]() {
      for (const client of [auth, careCircle, inbox, sandbox, pipe, ...health]) client.close()
    },
  }
}
