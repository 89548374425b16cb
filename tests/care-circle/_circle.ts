import type { Stack } from '@family-inbox/local-stack/run-stack'
import { identityKeys, localSecret, type Identity as ServiceIdentity } from '@family-inbox/local-stack/secrets'
import { services } from '@family-inbox/local-stack/services'
import { type StackOptions, startStack } from '@family-inbox/local-stack/stack'
import { CareCircleServiceService, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { newId, randomText } from '@family-inbox/service-kit/ids/ids'
import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import type { RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import type { Collection } from 'mongodb'
import { connect, type Msg, type NatsConnection } from 'nats'
import { environmentToConfig } from '../../services/care-circle/src/config.ts'
import { startCareCircle } from '../../services/care-circle/src/service.ts'
import { openDatabase } from '../_database.ts'
import { dialAsHolder } from '../_dial-as-holder.ts'
import { untilAnswered } from '../_outcome.ts'
import { openSharedStack, type SharedStack } from '../_shared-stack.ts'

export type CareCircle = RpcClient<typeof CareCircleServiceService>

/** A person with a freshly proved email. */
export type Person = {
  personId: string
  name: string
  email: string
  /** Without a workspace, as after a first sign-in. */
  signedIn: string
  /** Bound to a workspace, without an email, like a tool key. */
  keyIn(workspaceId: string): Promise<string>
}

export type Fellow = Person & { token: string }

export type Workspace = { workspaceId: string; lovedOneId: string; owner: Fellow; coordinator: Fellow; viewer: Fellow }

export type Circle<On extends SharedStack = SharedStack> = AsyncDisposable & {
  stack: On
  careCircle: CareCircle
  /** A client that speaks as another service. */
  as(service: ServiceIdentity): Promise<CareCircle>
  /** Starts a second replica, in this process, and dials it. */
  secondReplica(): Promise<CareCircle>
  /** One of care-circle's collections, to inspect rows and change their times. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of every shape
  rows(collection: string): Collection<any>
  person(name?: string): Promise<Person>
  workspace(words?: { workspace?: string; owner?: string }): Promise<Workspace>
  /** Adds a new person to a workspace through an invitation. */
  join(workspaceId: string, inviter: string, role: Role, name?: string): Promise<Fellow>
  /** Mail that was queued since the start, oldest first; on a shared stack everyone's. */
  mails(): Promise<OutgoingMail[]>
  mailsTo(email: string): Promise<OutgoingMail[]>
}

const LIMITS_LIFTED = { INVITATIONS_PER_DAY: '1000', NEW_FAMILY_INVITATIONS_PER_DAY: '1000' }

/** Boots care-circle, and other services if needed, with a real database and queue. Signs callers as auth does. */
export async function startCircle(options: StackOptions = {}): Promise<Circle<Stack>> {
  const stack = await startStack({
    services: services.filter(({ name }) => name === 'care-circle'),
    ...options,
    env: { ...LIMITS_LIFTED, ...options.env },
  })
  return circleOn(stack, stack, readQueue, { ...LIMITS_LIFTED, ...options.env })
}

/** The same on the stack shared by test files. */
export async function joinCircle(): Promise<Circle> {
  const shared = await openSharedStack()
  return circleOn(shared.stack, shared, listenToQueue)
}

/** @param env of a second replica */
async function circleOn<On extends SharedStack>(
  stack: On,
  stackOwner: AsyncDisposable,
  openQueue: (nats: NatsConnection) => () => Promise<OutgoingMail[]>,
  env: StackOptions['env'] = {},
): Promise<Circle<On>> {
  const { privateKeys, publicKeys } = await identityKeys(stack.dataDir)
  const auth = await createIdentity(privateKeys.auth, publicKeys)
  const cleanUp = new AsyncDisposableStack()
  cleanUp.use(stackOwner)
  async function dialAs(service: ServiceIdentity, address: string): Promise<CareCircle> {
    const client = await dialAsHolder(CareCircleServiceService, address, stack, service)
    cleanUp.defer(() => client.close())
    return client
  }
  const as = (service: ServiceIdentity) => dialAs(service, stack.addresses['care-circle'] ?? '')
  const careCircle = await as('gateway')
  const mongo = await openDatabase(stack, 'care-circle')
  cleanUp.defer(() => mongo.close())
  const nats = await connect({
    servers: stack.natsUrl,
    ...natsLogin(stack.opsKey),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  })

  cleanUp.defer(() => nats.close())
  const mails = openQueue(nats)
  await nats.flush()

  async function secondReplica(): Promise<CareCircle> {
    const config = environmentToConfig({
      LOG_LEVEL: 'error',
      GRPC_HOST: '127.0.0.1',
      GRPC_PORT: '0',
      SERVICE_KEY: JSON.stringify(privateKeys['care-circle']),
      SERVICE_KEYS: JSON.stringify(publicKeys),
      MONGODB_URI: stack.databaseUri('care-circle'),
      NATS_URL: stack.natsUrl,
      PIPE_ADDRESS: stack.addresses.pipe ?? '',
      INBOX_URL: stack.inboxUrl,
      INVITATION_KEY: await localSecret(stack.dataDir, 'INVITATION_KEY', 'key'),
      ...env,
    })
    const replica = await startCareCircle(config)
    cleanUp.use(replica)
    return dialAs('gateway', `127.0.0.1:${replica.port}`)
  }

  async function person(name = 'Ana Almeida'): Promise<Person> {
    const personId = newId('per')
    const email = `${randomText(12)}@almeida.example`
    const credential = { personId, credentialId: newId('key') }
    return {
      personId,
      name,
      email,
      signedIn: await auth.principalToken({ ...credential, workspaceId: '', email }, 'site'),
      // As after a fresh sign-in.
      keyIn: (workspaceId) =>
        auth.principalToken({ ...credential, workspaceId, verifiedAt: Math.floor(Date.now() / 1000) }, 'site'),
    }
  }

  async function fellow(member: Person, workspaceId: string): Promise<Fellow> {
    return { ...member, token: await member.keyIn(workspaceId) }
  }

  /** On a busy machine with another person: the link of an invitation that was stored too late is only in its mail. */
  function join(workspaceId: string, inviter: string, role: Role, name = 'Luis Almeida'): Promise<Fellow> {
    return untilAnswered(() => joinOnce(workspaceId, inviter, role, name))
  }

  async function joinOnce(workspaceId: string, inviter: string, role: Role, name: string): Promise<Fellow> {
    const newcomer = await person(name)
    const invitationFor = { email: newcomer.email, role, relationship: 'son', message: '', idempotencyKey: '' }
    const { token } = await careCircle.inviteMember(invitationFor, { token: inviter })
    await careCircle.acceptInvitation({ token, name }, { token: newcomer.signedIn })
    return fellow(newcomer, workspaceId)
  }

  async function workspace({ workspace: name = 'The Almeida family', owner: ownerName = 'Ana Almeida' } = {}) {
    const founder = await person(ownerName)
    const invitationFor = { name, ownerName, relationship: 'daughter' }
    const { workspaceId } = await careCircle.createWorkspace(invitationFor, { token: founder.signedIn })
    const owner = await fellow(founder, workspaceId)
    const { lovedOne } = await careCircle.addLovedOne({ name: 'Rosa Almeida' }, { token: owner.token })
    const coordinator = await join(workspaceId, owner.token, Role.COORDINATOR)
    const viewer = await join(workspaceId, owner.token, Role.VIEWER, 'Marta Duarte')
    return { workspaceId, lovedOneId: lovedOne?.id ?? '', owner, coordinator, viewer }
  }

  return {
    stack,
    careCircle,
    as,
    secondReplica,
    rows: (collection) => mongo.db().collection(collection),
    person,
    workspace,
    join,
    mails,
    mailsTo: async (email) => (await mails()).filter(({ toAddress }) => toAddress === email),
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  }
}

/** Reads the queue, where nothing consumes it. */
function readQueue(nats: NatsConnection): () => Promise<OutgoingMail[]> {
  const seen = new Map<number, OutgoingMail>()
  return async () => {
    const manager = await nats.jetstreamManager()
    const { state } = await manager.streams.info('OUTGOING_MAIL')
    for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++) {
      if (seen.has(seq)) continue
      const { data } = await manager.streams.getMessage('OUTGOING_MAIL', { seq })
      seen.set(seq, OutgoingMail.decode(data))
    }
    return [...seen.entries()].toSorted(([a], [b]) => a - b).map(([, mail]) => mail)
  }
}

/** Hears what is queued, where others consume it: like the queue, what has the same id once. */
function listenToQueue(nats: NatsConnection): () => Promise<OutgoingMail[]> {
  const mails = new Map<string, OutgoingMail>()
  const keep = ({ headers, data }: Msg) => {
    const id = headers?.get('Nats-Msg-Id') ?? ''
    if (!mails.has(id)) mails.set(id, OutgoingMail.decode(data))
  }
  nats.subscribe('mail.send.>', { callback: (_error, message) => keep(message) })
  return async () => {
    // The server sends what was queued before it answers.
    await nats.flush()
    return [...mails.values()]
  }
}

/** An invitation's arguments, with defaults. */
export function invitationFor(email: string, words: Partial<Parameters<CareCircle['inviteMember']>[0]> = {}) {
  return { email, role: Role.COORDINATOR, relationship: '', message: '', idempotencyKey: '', ...words }
}

/** The secret at the end of a mail's link. */
export function tokenOf(mail: OutgoingMail | undefined): string {
  return mail?.actionUrl.split('/').at(-1) ?? ''
}
