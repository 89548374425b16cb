import type { Step } from '../trace/tracing.ts'

/** One side of an RPC as a step of a trace. @param path as gRPC has it: `/familyinbox.auth.v1.AuthService/Authenticate` */
export function rpcStep(path: string, kind: 'server' | 'client'): Step {
  const method = path.slice(1)
  return { name: method, kind, attributes: { 'rpc.system.name': 'grpc', 'rpc.method': method } }
}
