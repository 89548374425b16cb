import type { Stack } from '@family-inbox/local-stack/run-stack'
import { identityKeys } from '@family-inbox/local-stack/secrets'
import { services } from '@family-inbox/local-stack/services'
import { type StackOptions, startStack } from '@family-inbox/local-stack/stack'
import { CareCircleServiceService, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import {
  type BrowseMessagesRequest,
  Category,
  InboxServiceService,
  type MessageSummary,
} from '@family-inbox/proto/inbox/v1/inbox'
import { newId, randomText } from '@family-inbox/service-kit/ids/ids'
import type { RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import type { Db } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { dialAsHolder } from '../_dial-as-holder.ts'
import { untilAnswered } from '../_outcome.ts'
import type { PresetName } from '../_presets.ts'
import { type LeasedStack, openSharedStack, type SharedStack } from '../_shared-stack.ts'

export type LovedOne = { id: string; address: string }

export type Family = {
  workspaceId: string
  /** The owner's token. */
  owner: string
  viewer: string
  lovedOnes: LovedOne[]
}

export type NewMember = { personId: string; token: string }

export type PostOffice<On extends SharedStack = Stack> = AsyncDisposable & {
  stack: On
  inbox: RpcClient<typeof InboxServiceService>
  db: Db
  /** Creates a workspace with this many loved ones, each with an address. */
  family(lovedOnes?: number): Promise<Family>
  /** The same person through an assistant that may write. */
  throughAssistant(token: string): Promise<string>
  /** Adds a member to a workspace. */
  join(family: Family, role: Role, name: string): Promise<NewMember>
  /** Adds a loved one to a shared workspace. */
  lovedOne(): Promise<LovedOne & { token: string }>
  messages(lovedOne: LovedOne & { token: string }): Promise<MessageSummary[]>
  body(lovedOne: LovedOne & { token: string }, messageId: string): Promise<string>
}

/** Asks for every message of every loved one. Spread it, and name what you want. */
export const EVERYTHING: BrowseMessagesRequest = {
  lovedOneId: '',
  category: Category.UNSPECIFIED,
  unread: false,
  withAttachments: false,
  receivedFrom: undefined,
  receivedBefore: undefined,
  search: '',
  from: [],
  pageSize: 0,
  pageToken: '',
}

/** Starts inbox and care-circle with a real database and queue. Tokens are signed as auth signs them. */
export async function openPostOffice(options: StackOptions = {}): Promise<PostOffice> {
  const needed = services.filter(({ name }) => name === 'care-circle' || name === 'inbox')
  const stack = await startStack({ ...options, services: needed })
  return officeOn(stack, stack)
}

/** The same on a stack that test files share; a leased one is this file's until it is disposed. */
export function joinPostOffice(preset: 'mortal'): Promise<PostOffice<LeasedStack>>
export function joinPostOffice(preset?: PresetName): Promise<PostOffice<SharedStack>>
export async function joinPostOffice(preset?: PresetName): Promise<PostOffice<SharedStack>> {
  const shared = await openSharedStack(preset)
  return officeOn(shared.stack, shared)
}

async function officeOn<On extends SharedStack>(stack: On, stackOwner: AsyncDisposable): Promise<PostOffice<On>> {
  const { privateKeys, publicKeys } = await identityKeys(stack.dataDir)
  const auth = await createIdentity(privateKeys.auth, publicKeys)
  const careCircle = await dialAsHolder(CareCircleServiceService, stack.addresses['care-circle'] ?? '', stack, 'site')
  const inbox = await dialAsHolder(InboxServiceService, stack.addresses.inbox ?? '', stack, 'site')
  const mongo = await openDatabase(stack, 'inbox')

  // A token lasts a minute; a test on a busy machine may take longer.
  const renewals = new Map<string, () => Promise<string>>()
  const assistants = new Map<string, () => Promise<string>>()
  const renewed = (token: string) => renewals.get(token)?.() ?? token

  async function person() {
    const credential = { personId: newId('per'), credentialId: newId('key') }
    const email = `${randomText(12)}@santos.example`
    const signedIn = await auth.principalToken({ ...credential, workspaceId: '', email }, 'site')
    const signIn = (workspaceId: string) => auth.principalToken({ ...credential, workspaceId }, 'site')
    return {
      personId: credential.personId,
      signedIn,
      email,
      async in(workspaceId: string) {
        const token = await signIn(workspaceId)
        renewals.set(token, () => signIn(workspaceId))
        assistants.set(token, () => auth.principalToken({ ...credential, workspaceId }, 'gateway'))
        return token
      },
    }
  }

  async function addLovedOne(token: string): Promise<LovedOne> {
    const { lovedOne } = await untilAnswered(() => careCircle.addLovedOne({ name: 'Amelia Santos' }, { token }))
    const id = lovedOne?.id ?? ''
    const { address } = await untilAnswered(() => inbox.allocateInboxAddress({ lovedOneId: id }, { token }))
    return { id, address }
  }

  async function family(count = 1): Promise<Family> {
    const founder = await person()
    const startRequest = { name: 'The Santos family', ownerName: 'Ines Santos', relationship: 'daughter' }
    const { workspaceId } = await untilAnswered(() =>
      careCircle.createWorkspace(startRequest, { token: founder.signedIn }),
    )
    const owner = await founder.in(workspaceId)
    const viewer = await join({ workspaceId, owner }, Role.VIEWER, 'Rui Santos')
    const lovedOnes: LovedOne[] = []
    while (lovedOnes.length < count) lovedOnes.push(await addLovedOne(owner))
    return { workspaceId, owner, viewer: viewer.token, lovedOnes }
  }

  async function join({ workspaceId, owner }: Pick<Family, 'workspaceId' | 'owner'>, role: Role, name: string) {
    // A new guest for each try: a repeated invitation does not return its token.
    const { guest, token } = await untilAnswered(async () => {
      const guest = await person()
      const asked = { email: guest.email, role, relationship: '', message: '', idempotencyKey: '' }
      return { guest, token: (await careCircle.inviteMember(asked, { token: await renewed(owner) })).token }
    })
    await untilAnswered(() => careCircle.acceptInvitation({ token, name }, { token: guest.signedIn }))
    return { personId: guest.personId, token: await guest.in(workspaceId) }
  }

  const home = await family(0)
  return {
    stack,
    inbox,
    db: mongo.db(),
    family,
    throughAssistant: async (token) => (await assistants.get(token)?.()) ?? '',
    join,
    async lovedOne() {
      const token = await renewed(home.owner)
      return { ...(await addLovedOne(token)), token: home.owner }
    },
    async messages({ id, token }) {
      const all: MessageSummary[] = []
      let pageToken = ''
      do {
        const request = { lovedOneId: id, pageSize: 50, pageToken }
        const page = await untilAnswered(async () => inbox.listInboxMessages(request, { token: await renewed(token) }))
        all.push(...page.messages)
        pageToken = page.nextPageToken
      } while (pageToken !== '')
      return all
    },
    async body({ id, token }, messageId) {
      const request = { lovedOneId: id, messageId }
      return (await untilAnswered(async () => inbox.getInboxMessage(request, { token: await renewed(token) }))).body
    },
    async [Symbol.asyncDispose]() {
      careCircle.close()
      inbox.close()
      await mongo.close()
      await stackOwner[Symbol.asyncDispose]()
    },
  }
}
