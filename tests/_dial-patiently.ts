import type { Definition } from '@family-inbox/service-kit/rpc/definition'
import { type CallOptions, dial, type RpcClient } from '@family-inbox/service-kit/rpc/dial'
import type { Identity } from '@family-inbox/service-kit/rpc/identity'

const ANSWERED_WITHIN_MS = 10_000

/** Dials a service with more time for a call than services give each other: how soon a busy machine answers proves nothing. */
export function dialPatiently<D extends Definition>(definition: D, address: string, identity: Identity): RpcClient<D> {
  const client = dial(definition, address, identity)
  const unary = Object.entries(definition).filter(([, { responseStream }]) => !responseStream)
  const methods = unary.map(([name]) => {
    const call = (request: never, options: CallOptions) =>
      client[name]?.(request, { deadline: Date.now() + ANSWERED_WITHIN_MS, ...options })
    return [name, call]
  })
  return { ...client, ...Object.fromEntries(methods) }
}
