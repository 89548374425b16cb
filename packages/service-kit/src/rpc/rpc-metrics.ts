import { status } from '@grpc/grpc-js'
import { durations } from '../metrics.ts'

const seconds = durations({
  name: 'rpc_seconds',
  help: 'RPCs this service answered, by how long they took and the gRPC status they ended with.',
  labels: ['method', 'code'],
})

/** Counts one answered RPC. @param startedAt of `performance.now()` @param code a gRPC status, OK when left out */
export function observeRpc(path: string, startedAt: number, code: number = status.OK): void {
  seconds.observe({ method: path, code: String(status[code]) }, (performance.now() - startedAt) / 1000)
}
