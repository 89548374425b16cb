import type { Connection } from 'mongoose'
import type { BackendConfig } from '../config/base-config.ts'
import { disposeAll } from '../lifecycle/dispose-all.ts'
import { exportDiskSpace, pingMongo } from '../mongo/mongo.ts'
import type { Logger } from '../observability/logger.ts'
import type { Definition } from '../rpc/definition.ts'
import type { Identity } from '../rpc/identity.ts'
import { type GrpcServer, type Handlers, serveGrpc } from '../rpc/serve.ts'

type BackendContext = AsyncDisposable & {
  config: BackendConfig
  identity: Identity
  logger: Logger
  connection: Connection
}

type Backend<D extends Definition> = {
  definition: D
  handlers: Handlers<D>
  context: BackendContext
  servers?: readonly AsyncDisposable[]
  background: readonly AsyncDisposable[]
}

/** Serves a backend's RPCs until it is disposed of: first its servers, then its background work, then its context. */
export async function serveBackend<D extends Definition>(backend: Backend<D>): Promise<GrpcServer> {
  const { definition, handlers, context, servers = [], background } = backend
  const { identity, logger, connection } = context
  const { host, port, reflection } = context.config
  exportDiskSpace(connection)
  const isReady = () => pingMongo(connection)
  const grpc = await serveGrpc({ definition, handlers, identity, logger, host, port, reflection, isReady })
  return {
    ...grpc,
    async [Symbol.asyncDispose]() {
      await disposeAll([...servers, grpc])
      await disposeAll(background)
      await context[Symbol.asyncDispose]()
    },
  }
}
