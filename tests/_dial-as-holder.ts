import { identityKeys, type Identity as ServiceIdentity } from '@family-inbox/local-stack/secrets'
import type { Definition } from '@family-inbox/service-kit/rpc/definition'
import type { CallOptions, RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { AUDIENCES_OF, createIdentity, type Identity } from '@family-inbox/service-kit/rpc/identity'
import { dialPatiently } from './_dial-patiently.ts'

const RENEW_BEFORE_SEC = 30
/** How long auth’s principals live. A token with another lifetime is the subject of a test. */
const LIFETIME_SEC = 60

/**
 * Dials a service. A call with a principal comes from the service that holds it; all others come from `service`. A
 * principal that has become old is renewed, because a slow test may outlive it.
 */
export async function dialAsHolder<D extends Definition>(
  definition: D,
  address: string,
  { dataDir }: { dataDir: string },
  service: ServiceIdentity,
): Promise<RpcClient<D>> {
  const { privateKeys, publicKeys } = await identityKeys(dataDir)
  const clients = new Map<string, RpcClient<D>>()
  for (const name of [service, ...Object.keys(AUDIENCES_OF)] as ServiceIdentity[])
    clients.set(name, dialPatiently(definition, address, await createIdentity(privateKeys[name], publicKeys)))
  const clientFor = (token?: string) => clients.get(claimsOf(token)?.azp ?? service) as RpcClient<D>
  const auth = await createIdentity(privateKeys.auth, publicKeys)
  const methods = Object.entries(definition).map(([name, { responseStream }]) => {
    const call = (request: never, options: CallOptions) => clientFor(options.token)[name]?.(request, options)
    if (responseStream) return [name, (request: never, options: CallOptions = {}) => call(request, options)]
    const renewAndCall = async (request: never, { token, ...options }: CallOptions = {}) =>
      call(request, token === undefined ? options : { ...options, token: await renewed(auth, token) })
    return [name, renewAndCall]
  })
  const close = () => {
    for (const client of clients.values()) client.close()
  }
  return { ...Object.fromEntries(methods), close }
}

type Claims = {
  azp: string
  sub: string
  ws: string
  cred: string
  email?: string
  verified?: number
  access?: 'read' | 'approval'
  iat: number
  exp: number
}

function claimsOf(token: string | undefined): Claims | undefined {
  try {
    return JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString())
  } catch {
    return undefined // not a token, as in tests of rejections
  }
}

async function renewed(auth: Identity, token: string): Promise<string> {
  const claims = claimsOf(token)
  if (claims?.azp === undefined || claims.exp - claims.iat !== LIFETIME_SEC) return token
  if (claims.exp - Date.now() / 1000 > RENEW_BEFORE_SEC) return token
  const { sub: personId, ws: workspaceId, cred: credentialId, email, verified: verifiedAt, access, azp } = claims
  return auth.principalToken({ personId, workspaceId, credentialId, email, verifiedAt, access }, azp)
}
