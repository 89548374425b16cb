import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import { InboxServiceService } from '@family-inbox/proto/inbox/v1/inbox'
import { PipeServiceService } from '@family-inbox/proto/pipe/v1/pipe'
import { SandboxServiceService } from '@family-inbox/proto/sandbox/v1/sandbox'
import { createLogger, type Logger } from '@family-inbox/service-kit/observability/logger'
import { dial, type RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { type Identity, serviceIdentity } from '@family-inbox/service-kit/rpc/identity'
import { createRecordAct, type RecordAct } from '@family-inbox/workspace-kit/people-acts'
import { createReadSwitches, type ReadSwitches } from '@family-inbox/workspace-kit/switches'
import { type Assets, loadAssets } from './assets/assets.ts'
import type { Config } from './config.ts'

export type Context = Disposable & {
  config: Config
  logger: Logger
  identity: Identity
  auth: RpcClient<typeof AuthServiceService>
  careCircle: RpcClient<typeof CareCircleServiceService>
  inbox: RpcClient<typeof InboxServiceService>
  pipe: RpcClient<typeof PipeServiceService>
  sandbox: RpcClient<typeof SandboxServiceService>
  recordAct: RecordAct
  readSwitches: ReadSwitches
  assets: Assets
}

export async function createContext(config: Config): Promise<Context> {
  const logger = createLogger('site', config.logLevel)
  const identity = await serviceIdentity(config, logger)
  const clients = {
    auth: dial(AuthServiceService, config.authAddress, identity),
    careCircle: dial(CareCircleServiceService, config.careCircleAddress, identity),
    inbox: dial(InboxServiceService, config.inboxAddress, identity),
    pipe: dial(PipeServiceService, config.pipeAddress, identity),
    sandbox: dial(SandboxServiceService, config.sandboxAddress, identity),
  }
  return {
    config,
    logger,
    identity,
    ...clients,
    recordAct: createRecordAct(clients.auth, logger),
    readSwitches: createReadSwitches({
      settings: config,
      isSwitchable: config.hasOperatorPage,
      ask: () => clients.careCircle.getSwitches({}),
      logger,
    }),
    assets: await loadAssets(),
    [Symbol.dispose]() {
      for (const client of Object.values(clients)) client.close()
    },
  }
}
