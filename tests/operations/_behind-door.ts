import type { Stack } from '@family-inbox/local-stack/run-stack'
import { identityKeys } from '@family-inbox/local-stack/secrets'
import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import { SandboxServiceService } from '@family-inbox/proto/sandbox/v1/sandbox'
import { newId, randomText } from '@family-inbox/service-kit/ids/ids'
import type { RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import { dialAsHolder } from '../_dial-as-holder.ts'
import { type Family, startFamily } from '../_family.ts'
import { type Sink, startMailSink } from '../_mail-sink.ts'

/** Calls services past all pages. */
export type PastPages = AsyncDisposable & {
  /** As the service that holds the principal. */
  careCircle: RpcClient<typeof CareCircleServiceService>
  careCircleAsSandbox: RpcClient<typeof CareCircleServiceService>
  /** As the gateway. */
  sandbox: RpcClient<typeof SandboxServiceService>
  /** The principal of somebody who proved an address, as auth signs it for a service. */
  principal(person: { email?: string; personId?: string; workspaceId?: string }, holder?: string): Promise<string>
}

export async function openPastPages(stack: Stack): Promise<PastPages> {
  const { privateKeys, publicKeys } = await identityKeys(stack.dataDir)
  const auth = await createIdentity(privateKeys.auth, publicKeys)
  const address = stack.addresses['care-circle'] ?? ''
  const careCircle = await dialAsHolder(CareCircleServiceService, address, stack, 'site')
  const careCircleAsSandbox = await dialAsHolder(CareCircleServiceService, address, stack, 'sandbox')
  const sandbox = await dialAsHolder(SandboxServiceService, stack.addresses.sandbox ?? '', stack, 'gateway')
  return {
    careCircle,
    careCircleAsSandbox,
    sandbox,
    principal: ({ email = newAddress(), personId = newId('per'), workspaceId = '' }, holder = 'site') => {
      const verifiedAt = Math.floor(Date.now() / 1000)
      return auth.principalToken({ personId, workspaceId, credentialId: newId('ses'), email, verifiedAt }, holder)
    },
    async [Symbol.asyncDispose]() {
      for (const client of [careCircle, careCircleAsSandbox, sandbox]) client.close()
    },
  }
}

export type BehindDoor = Family & PastPages & { sink: Sink }

/** An installation with these settings, its demo family, and the mail it sends. */
export async function startBehindDoor(env: Record<string, string>): Promise<BehindDoor> {
  await using starting = new AsyncDisposableStack()
  const sink = starting.use(await startMailSink())
  const family = starting.use(await startFamily({ env: { ...env, SMTP_URL: sink.url }, processes: 'single' }))
  const pastPages = starting.use(await openPastPages(family.stack))
  const owned = starting.move()
  return { ...family, ...pastPages, sink, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

export function newAddress(): string {
  return `${randomText(12)}@silva.example`
}
