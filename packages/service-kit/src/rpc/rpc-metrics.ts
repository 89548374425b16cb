import { status } from '@grpc/grpc-js'
import { durations } from '../metrics.ts'
import { describeStep, failStep } from '../trace/steps.ts'

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
