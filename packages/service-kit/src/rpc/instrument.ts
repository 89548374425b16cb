import { type Metadata, status } from '@grpc/grpc-js'
import { durations } from '../observability/metrics.ts'
import { describeStep, failStep, runIncoming } from '../observability/steps.ts'
import { extractTraceContext } from '../observability/trace-context.ts'
import type { Step } from '../observability/tracing.ts'

const seconds = durations({
  name: 'rpc_seconds',
  help: 'RPCs this service answered, by how long they took and the gRPC status they ended with.',
  labels: ['method', 'code'],
})

/** Counts one answered RPC, and says in its trace how it ended. @param startedAt of `performance.now()` @param code a gRPC status, OK when left out */
export function observeRpc(path: string, startedAt: number, code: number = status.OK): void {
  const name = String(status[code])
  seconds.observe({ method: path, code: name }, (performance.now() - startedAt) / 1000)
  describeStep({ 'rpc.response.status_code': name })
  if (OUR_FAULT.has(code)) failStep(name)
}

/** Everything else is a caller's, and an answer like any other. */
const OUR_FAULT = new Set([status.INTERNAL, status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.UNKNOWN])

/** One side of an RPC as a step of a trace. @param path as gRPC has it: `/familyinbox.auth.v1.AuthService/Authenticate` */
export function rpcStep(path: string, kind: 'server' | 'client'): Step {
  const method = path.slice(1)
  return { name: method, kind, attributes: { 'rpc.system.name': 'grpc', 'rpc.method': method } }
}

/** Deals with a call as a step of the trace, and as the request, that its metadata names. @param step the server's side */
export function handleCall(metadata: Metadata, step: Step, work: () => Promise<void>): Promise<void> {
  return runIncoming(
    extractTraceContext((name) => metadata.get(name)[0]),
    step,
    work,
  )
}
