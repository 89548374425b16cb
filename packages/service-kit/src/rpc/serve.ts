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

export type GrpcServer = AsyncDisposable & { port: number; isReady(): Promise<boolean> }

/** Serves RPCs over gRPC with health checking, and to the other services of this process. */
export async function serveGrpc<D extends Definition>(options: ServeOptions<D>): Promise<GrpcServer> {
  const { definition, identity, host, port, reflection } = options
  const answers = answersOf(options)
  let isEnding = false
  const askStore = rememberAnswer(options.isReady)
  const isReady = async () => !isEnding && (await askStore()) && !isEnding
  const grpc = await listenForGrpc({ definition, answers, identity, host, port, reflection, isReady })
  const inProcess = listenInProcess(identity.service, Object.values(answers), isReady)
  return {
    port: grpc.port,
    isReady,
    async [Symbol.asyncDispose]() {
      isEnding = true
      await disposeAll([grpc, inProcess])
    },
  }
}

const ANSWER_KEPT_MS = 1000

/** Asks when somebody wants to know, and at most once in a second. */
function rememberAnswer(ask: () => Promise<boolean>): () => Promise<boolean> {
  let answer: Promise<boolean> | undefined
  let askedAt = 0
  return () => {
    const now = performance.now()
    if (answer === undefined || now - askedAt > ANSWER_KEPT_MS) {
      askedAt = now
      answer = ask()
    }
    return answer
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
