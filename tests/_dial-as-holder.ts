import { identityKeys, type Identity as ServiceIdentity } from '@family-inbox/local-stack/secrets'
import type { Definition } from '@family-inbox/service-kit/rpc/definition'
import { type CallOptions, dial, type RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { AUDIENCES_OF, createIdentity } from '@family-inbox/service-kit/rpc/identity'

/** Dials a service. A call with a principal comes from the service that holds it; all others come from `service`. */
export async function dialAsHolder<D extends Definition>(
  definition: D,
  address: string,
  { dataDir }: { dataDir: string },
  service: ServiceIdentity,
): Promise<RpcClient<D>> {
  const { privateKeys, publicKeys } = await identityKeys(dataDir)
  const clients = new Map<string, RpcClient<D>>()
  for (const name of [service, ...Object.keys(AUDIENCES_OF)] as ServiceIdentity[])
    clients.set(name, dial(definition, address, await createIdentity(privateKeys[name], publicKeys)))
  const clientFor = (token?: string) => clients.get(holderOf(token) ?? service) as RpcClient<D>
  const methods = Object.keys(definition).map((name) => [
    name,
    (request: never, options: CallOptions = {}) => clientFor(options.token)[name]?.(request, options),
  ])
  const close = () => {
    for (const client of clients.values()) client.close()
  }
  return { ...Object.fromEntries(methods), close }
}

function holderOf(token: string | undefined): string | undefined {
  try {
    return JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString()).azp
  } catch {
    return undefined // not a token, as in tests of rejections
  }
}
