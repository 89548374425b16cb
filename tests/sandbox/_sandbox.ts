import type { Stack } from '@family-inbox/local-stack/run-stack'
import { identityKeys, localSecret, type Identity as ServiceIdentity } from '@family-inbox/local-stack/secrets'
import { type ServiceName, services } from '@family-inbox/local-stack/services'
import { type StackOptions, startStack } from '@family-inbox/local-stack/stack'
import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import { InboxServiceService } from '@family-inbox/proto/inbox/v1/inbox'
import { SandboxServiceService, type StartWorkspaceRequest } from '@family-inbox/proto/sandbox/v1/sandbox'
import { newId } from '@family-inbox/service-kit/ids/ids'
import type { Definition } from '@family-inbox/service-kit/rpc/definition'
import type { RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import type { Collection } from 'mongodb'
import { environmentToConfig } from '../../services/sandbox/src/config.ts'
import { startSandbox } from '../../services/sandbox/src/service.ts'
import { databaseName, openDatabase } from '../_database.ts'
import { dialAsHolder } from '../_dial-as-holder.ts'
import { type Answer, send } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { openSharedStack, type SharedStack } from '../_shared-stack.ts'

export type Sandboxes<On extends SharedStack = Stack> = AsyncDisposable & {
  stack: On
  /** Calls the sandbox service as the gateway. */
  sandbox: RpcClient<typeof SandboxServiceService>
  auth: RpcClient<typeof AuthServiceService>
  careCircle: RpcClient<typeof CareCircleServiceService>
  inbox: RpcClient<typeof InboxServiceService>
  /** Calls care-circle as the sandbox service. */
  careCircleAsSandbox: RpcClient<typeof CareCircleServiceService>
  /** Starts and dials another sandbox replica in this process. */
  secondReplica(): Promise<RpcClient<typeof SandboxServiceService>>
  /** One collection of a service's database. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of every shape
  rows(service: ServiceName, collection: string): Collection<any>
  /** A token with a freshly proved email; without one, like a tool key. */
  person(email?: string): Promise<{ personId: string; token: string; in(workspaceId: string): Promise<string> }>
  post(message: unknown, headers?: Record<string, string>): Promise<Answer>
  start(args: object, headers?: Record<string, string>): Promise<Answer>
}

export const ROSA = { lovedOneFirstName: 'Rosa', lovedOneLastName: 'Silva', sandbox: true }

/** The same as an RPC request. */
export function request(change: Partial<StartWorkspaceRequest> = {}): StartWorkspaceRequest {
  return {
    clientAddress: '203.0.113.7',
    lovedOneFirstName: 'Rosa',
    lovedOneLastName: 'Silva',
    familyName: '',
    careContext: '',
    familyMemberEmails: [],
    ...change,
  }
}

/** Boots the system or some of its services, without the rate limit unless the test sets one. */
export async function startSandboxes(names?: ServiceName[], options: StackOptions = {}): Promise<Sandboxes> {
  const env = { ...LIFTED, ...options.env }
  const needed = services.filter(({ name }) => names === undefined || names.includes(name))
  const stack = await startStack({ ...options, env, services: needed })
  return sandboxesOn(stack, stack, env)
}

/** The same on the shared stack, with its outgoing mail. */
export async function joinSandboxes(): Promise<Sandboxes<SharedStack> & { sink: Sink }> {
  const shared = await openSharedStack()
  return { ...(await sandboxesOn(shared.stack, shared, LIFTED)), sink: shared.sink }
}

const LIFTED = {
  HTTP_MAX_CONNECTIONS_PER_PEER: '10000',
  SANDBOX_BUCKET_CAPACITY: '1000000',
  SANDBOX_REFILL_SECONDS: '1',
}

/** The same on a stack that runs already. @param env its settings */
export async function sandboxesOn<On extends SharedStack>(
  stack: On,
  stackOwner: AsyncDisposable,
  env: StackOptions['env'],
): Promise<Sandboxes<On>> {
  const cleanUp = new AsyncDisposableStack()
  cleanUp.use(stackOwner)
  const { privateKeys, publicKeys } = await identityKeys(stack.dataDir)
  const mongo = await openDatabase(stack)
  cleanUp.defer(() => mongo.close())

  async function client<D extends Definition>(definition: D, address: string, as: ServiceIdentity) {
    const dialled = await dialAsHolder(definition, address, stack, as)
    cleanUp.defer(() => dialled.close())
    return dialled
  }
  const addressOf = (name: ServiceName) => stack.addresses[name] ?? '127.0.0.1:1'
  const auth = await createIdentity(privateKeys.auth, publicKeys)

  async function secondReplica() {
    const config = environmentToConfig({
      LOG_LEVEL: 'error',
      GRPC_HOST: '127.0.0.1',
      GRPC_PORT: '0',
      SERVICE_KEY: JSON.stringify(privateKeys.sandbox),
      SERVICE_KEYS: JSON.stringify(publicKeys),
      MONGODB_URI: stack.databaseUri('sandbox'),
      NATS_URL: stack.natsUrl,
      CARE_CIRCLE_ADDRESS: addressOf('care-circle'),
      INBOX_ADDRESS: addressOf('inbox'),
      NETWORK_KEY: await localSecret(stack.dataDir, 'NETWORK_KEY', 'key'),
      ...env,
    })
    const replica = cleanUp.use(await startSandbox(config))
    return client(SandboxServiceService, `127.0.0.1:${replica.port}`, 'gateway')
  }

  async function person(email?: string) {
    const personId = newId('per')
    const credential = { personId, credentialId: newId('ses') }
    const proof = email === undefined ? {} : { email, verifiedAt: Math.floor(Date.now() / 1000) }
    return {
      personId,
      token: await auth.principalToken({ ...credential, workspaceId: '', ...proof }, 'site'),
      in: (workspaceId: string) => auth.principalToken({ ...credential, workspaceId, ...proof }, 'site'),
    }
  }

  const post: Sandboxes['post'] = (message, headers = {}) =>
    send(`${stack.inboxUrl}/api/mcp/public`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    })

  return {
    stack,
    sandbox: await client(SandboxServiceService, addressOf('sandbox'), 'gateway'),
    auth: await client(AuthServiceService, addressOf('auth'), 'gateway'),
    careCircle: await client(CareCircleServiceService, addressOf('care-circle'), 'gateway'),
    inbox: await client(InboxServiceService, addressOf('inbox'), 'gateway'),
    careCircleAsSandbox: await client(CareCircleServiceService, addressOf('care-circle'), 'sandbox'),
    secondReplica,
    rows: (service, collection) => mongo.db(databaseName(stack, service)).collection(collection),
    person,
    post,
    start: (args, headers) => post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: toolCall(args) }, headers),
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  }
}

function toolCall(args: object) {
  return { name: 'start_family_care_workspace', arguments: args }
}
