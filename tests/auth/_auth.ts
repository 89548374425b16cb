import { readFile } from 'node:fs/promises'
import { freePort } from '@family-inbox/local-stack/free-port'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { identityKeyFile, type Identity as Name } from '@family-inbox/local-stack/secrets'
import { services } from '@family-inbox/local-stack/services'
import { type StackOptions, startStack } from '@family-inbox/local-stack/stack'
import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import { OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import type { RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import type { MongoClient } from 'mongodb'
import { connect as connectNats } from 'nats'
import { openAsOperator } from '../_database.ts'
import { dialAsHolder } from '../_dial-as-holder.ts'
import { dialPatiently } from '../_dial-patiently.ts'
import type { PresetName } from '../_presets.ts'
import { type LeasedStack, openSharedStack, type SharedStack } from '../_shared-stack.ts'

export type AuthClient = RpcClient<typeof AuthServiceService>

/** auth and care-circle as in production, with the callers of auth: site, gateway and operator. */
export type AuthStack<On extends SharedStack = SharedStack> = AsyncDisposable & {
  stack: On
  /** The address of OAuth: of auth itself, or of the gateway in front of it. */
  httpUrl: string
  as: Record<'site' | 'gateway' | 'ops', AuthClient>
  careCircle: RpcClient<typeof CareCircleServiceService>
  mongo: MongoClient
  /** All mail queued since the start, on a shared stack everyone's. */
  mails: OutgoingMail[]
}

/** Boots only auth and care-circle, to test auth without the gateway's checks. */
export async function startAuthStack(options: StackOptions = {}): Promise<AuthStack<Stack>> {
  const httpPort = await freePort()
  const stack = await startStack({
    services: services.filter(({ name }) => name === 'auth' || name === 'care-circle'),
    ...options,
    serviceEnv: { HTTP_PORT: `${httpPort}`, ...options.serviceEnv },
  })
  return connectTo(stack, `http://127.0.0.1:${httpPort}`, stack)
}

/** The same on the standard shared stack. */
export async function joinAuthStack(): Promise<AuthStack> {
  const shared = await openSharedStack()
  return connectTo(shared.stack, `http://${shared.stack.httpAddresses.auth}`, shared)
}

/** Boots everything, to call auth through the gateway. */
export async function startBehindGateway(options: StackOptions = {}): Promise<AuthStack<Stack>> {
  const stack = await startStack(options)
  return connectTo(stack, stack.inboxUrl, stack)
}

/** The same on a shared stack. */
export function joinBehindGateway(preset: 'mortal'): Promise<AuthStack<LeasedStack>>
export function joinBehindGateway(preset?: PresetName): Promise<AuthStack>
export async function joinBehindGateway(preset: PresetName = 'standard'): Promise<AuthStack> {
  const shared = await openSharedStack(preset)
  return connectTo(shared.stack, shared.stack.inboxUrl, shared)
}

/** The callers of auth on a stack that is running, which ends with them if `stackOwner` says so. */
export async function connectTo<On extends SharedStack>(
  stack: On,
  httpUrl: string,
  stackOwner: AsyncDisposable,
): Promise<AuthStack<On>> {
  const identityOf = async (name: Name) =>
    createIdentity(JSON.parse(await readFile(identityKeyFile(stack.dataDir, name), 'utf8')), stack.serviceKeys)
  const authAddress = stack.addresses.auth as string
  const clientOf = async (name: Name) => dialPatiently(AuthServiceService, authAddress, await identityOf(name))
  const as = { site: await clientOf('site'), gateway: await clientOf('gateway'), ops: await clientOf('ops') }
  const careCircle = await dialAsHolder(
    CareCircleServiceService,
    stack.addresses['care-circle'] as string,
    stack,
    'ops',
  )
  const mongo = await openAsOperator(stack, 'auth')
  const nats = await connectNats({ servers: stack.natsUrl, ...natsLogin(stack.opsKey) })
  const mails: OutgoingMail[] = []
  nats.subscribe('mail.send.>', { callback: (_error, message) => mails.push(OutgoingMail.decode(message.data)) })
  await nats.flush()
  return {
    stack,
    httpUrl,
    as,
    careCircle,
    mongo,
    mails,
    async [Symbol.asyncDispose]() {
      for (const client of [...Object.values(as), careCircle]) client.close()
      await Promise.all([mongo.close(), nats.close()])
      await stackOwner[Symbol.asyncDispose]()
    },
  }
}
