import { disposeAll } from '../lifecycle/dispose-all.ts'
import type { Logger } from '../observability/logger.ts'
import { answerStream, answerUnary } from './answer.ts'
import type { Handler, StreamHandler } from './call.ts'
import type { Definition, RequestOf, ResponseOf } from './definition.ts'
import { listenForGrpc } from './grpc-transport.ts'
import type { Identity } from './identity.ts'
import { listenInProcess } from './in-process-transport.ts'
import type { Answer } from './transport.ts'

export type Handlers<D extends Definition> = {
  [K in keyof D]: D[K]['responseStream'] extends true
    ? StreamHandler<RequestOf<D[K]>, ResponseOf<D[K]>>
    : Handler<RequestOf<D[K]>, ResponseOf<D[K]>>
}

export type ServeOptions<D extends Definition> = {
  definition: D
  handlers: Handlers<D>
  identity: Identity
  logger: Logger
  host: string
  port: number
  reflection?: boolean
  isReady: () => Promise<boolean>
}

export type GrpcServer = AsyncDisposable & { port: number; isReady(): boolean }

const READINESS_INTERVAL_MS = 1000

/** Serves RPCs over gRPC with health checking, and to the other services of this process. */
export async function serveGrpc<D extends Definition>(options: ServeOptions<D>): Promise<GrpcServer> {
  const { definition, identity, host, port, reflection } = options
  const answers = answersOf(options)
  let isEnding = false
  let isReady = false
  const grpc = await listenForGrpc({ definition, answers, identity, host, port, reflection })
  const inProcess = listenInProcess(identity.service, Object.values(answers), () => isReady)
  const showReadiness = async () => {
    isReady = (await options.isReady()) && !isEnding
    grpc.showReady(isReady)
  }
  await showReadiness()
  const readiness = setInterval(showReadiness, READINESS_INTERVAL_MS)
  return {
    port: grpc.port,
    isReady: () => isReady,
    async [Symbol.asyncDispose]() {
      isEnding = true // before the check in progress reports
      isReady = false
      clearInterval(readiness)
      grpc.showReady(false)
      await disposeAll([grpc, inProcess])
    },
  }
}

function answersOf<D extends Definition>({ definition, handlers, identity, logger }: ServeOptions<D>) {
  const answers: Record<string, Answer> = {}
  for (const [name, method] of Object.entries(definition)) {
    const { path, responseStream } = method
    const handler: unknown = handlers[name]
    answers[name] = responseStream
      ? { method, stream: answerStream(path, handler as StreamHandler<unknown, unknown>, { identity, logger }) }
      : { method, unary: answerUnary(path, handler as Handler<unknown, unknown>, { identity, logger }) }
  }
  return answers
}
