import { status } from '@grpc/grpc-js'
import { durations } from '../observability/metrics.ts'
import { failSpan, setSpanAttributes } from '../observability/spans.ts'
import type { SpanOptions } from '../observability/tracing.ts'

const seconds = durations({
  name: 'rpc_seconds',
  help: 'RPCs this service answered, by duration and gRPC status.',
  labels: ['method', 'code'],
})

/** Records a finished RPC. @param startedAt from `performance.now()` @param code a gRPC status */
export function observeRpc(path: string, startedAt: number, code: number = status.OK): void {
  const name = String(status[code])
  seconds.observe({ method: path, code: name }, (performance.now() - startedAt) / 1000)
  setSpanAttributes({ 'rpc.response.status_code': name })
  if (OUR_FAULT.has(code)) failSpan(name)
}

const OUR_FAULT = new Set([status.INTERNAL, status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.UNKNOWN])

export function rpcSpan(path: string, kind: 'server' | 'client'): SpanOptions {
  const method = path.slice(1)
  return { name: method, kind, attributes: { 'rpc.system.name': 'grpc', 'rpc.method': method } }
}
