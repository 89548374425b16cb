import { SandboxServiceService } from '@family-inbox/proto/sandbox/v1/sandbox'
import { pingMongo } from '@family-inbox/service-kit/mongo/mongo'
import { type GrpcServer, serveGrpc } from '@family-inbox/service-kit/rpc/serve'
import { consumeRemovals } from '@family-inbox/workspace-kit/removals'
import type { Config } from './config.ts'
import { createContext } from './context.ts'
import { claimSandbox } from './rpc/claim-sandbox.ts'
import { discardSandbox } from './rpc/discard-sandbox.ts'
import { listClaimableSandboxes } from './rpc/list-claimable-sandboxes.ts'
import { noteRefusedStart } from './rpc/note-refused-start.ts'
import { startWorkspace } from './rpc/start-workspace.ts'
import { removeSandboxOf } from './sandboxes/remove-sandboxes.ts'
import { startSandboxSweeper } from './sandboxes/sweep-sandboxes.ts'

/** Starts sandbox: workspaces that agents create without credentials. */
export async function startSandbox(config: Config): Promise<GrpcServer> {
  const ctx = await createContext(config)
  const server = await serveGrpc({
    definition: SandboxServiceService,
    handlers: {
      startWorkspace: startWorkspace(ctx),
      noteRefusedStart: noteRefusedStart(ctx),
      listClaimableSandboxes: listClaimableSandboxes(ctx),
      claimSandbox: claimSandbox(ctx),
      discardSandbox: discardSandbox(ctx),
    },
    identity: ctx.identity,
    logger: ctx.logger,
    host: config.host,
    port: config.port,
    reflection: config.reflection,
    isReady: () => pingMongo(ctx.connection),
  })
  const background = [
    startSandboxSweeper(ctx),
    consumeRemovals({
      connection: ctx.opsNotifications.connection,
      natsReplicas: config.natsReplicas,
      identity: ctx.identity,
      service: 'sandbox',
      logger: ctx.logger,
      handlers: { workspace: (id) => removeSandboxOf(ctx, id) },
    }),
  ]
  return {
    port: server.port,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await Promise.all(background.map((part) => part[Symbol.asyncDispose]()))
      await ctx[Symbol.asyncDispose]()
    },
  }
}
