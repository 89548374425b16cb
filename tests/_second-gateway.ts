import { freePort } from '@family-inbox/local-stack/free-port'
import { identityKeys } from '@family-inbox/local-stack/secrets'
import { environmentToConfig } from '../services/gateway/src/config.ts'
import { startGateway } from '../services/gateway/src/service.ts'
import type { SharedStack } from './_shared-stack.ts'

export type SecondGateway = AsyncDisposable & {
  /** `127.0.0.1:port` for all three hosts, distinguished by Host. */
  address: string
}

/** Starts another gateway for a stack's services. @param env extra settings; they override others */
export async function startSecondGateway(stack: SharedStack, env: Record<string, string> = {}): Promise<SecondGateway> {
  const { dataDir, addresses, baseUrl, apiUrl, inboxUrl } = stack
  const { privateKeys, publicKeys } = await identityKeys(dataDir)
  const port = await freePort()
  const gateway = await startGateway(
    environmentToConfig({
      LOG_LEVEL: 'error',
      HTTP_HOST: '127.0.0.1',
      PORT: `${port}`,
      BASE_URL: baseUrl,
      API_URL: apiUrl,
      INBOX_URL: inboxUrl,
      SERVICE_KEY: JSON.stringify(privateKeys.gateway),
      SERVICE_KEYS: JSON.stringify(publicKeys),
      AUTH_ADDRESS: addresses.auth,
      CARE_CIRCLE_ADDRESS: addresses['care-circle'],
      INBOX_ADDRESS: addresses.inbox,
      SANDBOX_ADDRESS: addresses.sandbox,
      PIPE_ADDRESS: addresses.pipe,
      ...env,
    }),
  )
  return { address: `127.0.0.1:${port}`, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() }
}
