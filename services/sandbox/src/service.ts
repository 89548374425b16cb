import { SandboxServiceService } from '@family-inbox/proto/sandbox/v1/sandbox'
import type { GrpcServer } from '@family-inbox/service-kit/rpc/serve'
import type { Service } from '@family-inbox/service-kit/start/run'
import { serveBackend } from '@family-inbox/service-kit/start/serve-backend'
import { consumeRemovals } from '@family-inbox/workspace-kit/removals'
import { type Config, environmentToConfig } from './config.ts'
import { createContext } from './context.ts'
import { claimSandbox } from './rpc/claim-sandbox.ts'
import { discardSandbox } from './rpc/discard-sandbox.ts'
import { listClaimableSandboxes } from './rpc/list-claimable-sandboxes.ts'
import { noteRefusedStart } from './rpc/note-refused-start.ts'
import { startWorkspace } from './rpc/start-workspace.ts'
import { removeSandboxOf } from './sandboxes/remove-sandboxes.ts'
import { startSandboxSweeper } from './sandboxes/sweep-sandboxes.ts'

export const service: Service<Config> = { name: 'sandbox', environmentToConfig, start: startSandbox }

/** Starts sandbox: workspaces that agents create without credentials. */
export async function startSandbox(config: Config): Promise<GrpcServer> {
  const ctx = await createContext(config)
  return serveBackend({
    definition: SandboxServiceService,
    handlers: {
      startWorkspace: startWorkspace(ctx),
      noteRefusedStart: noteRefusedStart(ctx),
      listClaimableSandboxes: listClaimableSandboxes(ctx),
      claimSandbox: claimSandbox(ctx),
      discardSandbox: discardSandbox(ctx),
    },
    context: ctx,
    background: [
      startSandboxSweeper(ctx),
      consumeRemovals({
        connection: ctx.opsNotifications.connection,
        natsReplicas: config.natsReplicas,
        identity: ctx.identity,
        service: 'sandbox',
        logger: ctx.logger,
        handlers: { workspace: (id) => removeSandboxOf(ctx, id) },
      }),
    ],
  })
}
