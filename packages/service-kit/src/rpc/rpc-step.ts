import type { Metadata } from '@grpc/grpc-js'
import { readAlong } from '../trace/along.ts'
import { dealWithArrival } from '../trace/steps.ts'
import type { Step } from '../trace/tracing.ts'

/** One side of an RPC as a step of a trace. @param path as gRPC has it: `/familyinbox.auth.v1.AuthService/Authenticate` */
export function rpcStep(path: string, kind: 'server' | 'client'): Step {
  const method = path.slice(1)
  return { name: method, kind, attributes: { 'rpc.system.name': 'grpc', 'rpc.method': method } }
}

/** Deals with a call as a step of the trace, and as the request, that its metadata names. @param step the server's side */
export function dealWithCall(metadata: Metadata, step: Step, work: () => Promise<void>): Promise<void> {
  return dealWithArrival(
    readAlong((name) => metadata.get(name)[0]),
    step,
    work,
  )
}
