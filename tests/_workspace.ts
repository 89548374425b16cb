import { identityKeys } from '@family-inbox/local-stack/secrets'
import { connect, type Services } from '@family-inbox/ops/services'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId, randomText } from '@family-inbox/service-kit/ids/ids'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import type { SharedStack } from './_shared-stack.ts'

export type Words = {
  workspace: string
  owner: string
  viewer: string
  relationship: string
  emailDomain: string
  keyName: string
}

export type ToolKey = { id: string; secret: string }

export type LovedOne = { id: string; name: string; inboxAddress: string }

export type Person = {
  email: string
  mintKey(idempotencyKey?: string): Promise<ToolKey>
  revokeKey(id: string): Promise<void>
}

export type Workspace = Disposable & {
  workspaceId: string
  owner: Person
  viewer: Person
  addLovedOne(name?: string): Promise<LovedOne>
}

const ORDINARY: Words = {
  workspace: 'The Okafor family',
  owner: 'Ngozi Okafor',
  viewer: 'Tunde Okafor',
  relationship: 'daughter',
  emailDomain: 'okafor.example',
  keyName: 'Agent',
}

/** A principal lasts a minute and a sign-in is fresh for ten; tests may take longer. */
const RENEW_MS = 5000

type NewPerson = { personId: string; email: string; token: string }

/** Creates a workspace through the services' RPCs, for tests that need other names or more than the seed. */
export async function foundWorkspace(stack: SharedStack, words: Partial<Words> = {}): Promise<Workspace> {
  const services = await connect(stack.target)
  const { workspace, owner, viewer, relationship, emailDomain, keyName } = { ...ORDINARY, ...words }
  const create = async (name: string): Promise<NewPerson> => {
    const email = `${randomText(10)}@${emailDomain}`
    const { personId, principal } = await services.auth.createPerson({ email, name })
    return { personId, email, token: principal }
  }
  const founder = await create(owner)
  const { workspaceId } = await services.careCircle.createWorkspace(
    { name: workspace, ownerName: owner, relationship },
    { token: founder.token },
  )
  const { privateKeys, publicKeys } = await identityKeys(stack.dataDir)
  const auth = await createIdentity(privateKeys.auth, publicKeys)
  /** As after a new sign-in. */
  const enter = ({ personId, email }: NewPerson) => {
    const verifiedAt = Math.floor(Date.now() / 1000)
    return auth.principalToken({ personId, workspaceId, credentialId: newId('setup'), email, verifiedAt }, 'ops')
  }
  founder.token = await enter(founder)
  const guest = await create(viewer)
  const { token } = await services.careCircle.inviteMember(
    { email: guest.email, role: Role.VIEWER, relationship, message: '', idempotencyKey: '' },
    { token: founder.token },
  )
  await services.careCircle.acceptInvitation({ token, name: viewer }, { token: guest.token })
  guest.token = await enter(guest)
  const renewal = setInterval(() => {
    for (const person of [founder, guest])
      void enter(person).then((fresh) => {
        person.token = fresh
      })
  }, RENEW_MS)
  return {
    workspaceId,
    owner: personOf(services, founder, keyName),
    viewer: personOf(services, guest, keyName),
    async addLovedOne(name = 'Adaeze Okafor') {
      const { lovedOne } = await services.careCircle.addLovedOne({ name }, { token: founder.token })
      const id = lovedOne?.id ?? ''
      const { address } = await services.inbox.allocateInboxAddress({ lovedOneId: id }, { token: founder.token })
      return { id, name, inboxAddress: address }
    },
    [Symbol.dispose]() {
      clearInterval(renewal)
      services[Symbol.dispose]()
    },
  }
}

function personOf({ auth }: Services, person: NewPerson, keyName: string): Person {
  return {
    email: person.email,
    async mintKey(idempotencyKey = '') {
      const { key, secret } = await auth.mintToolKey(
        { name: keyName, scopes: [], idempotencyKey },
        { token: person.token },
      )
      return { id: key?.id ?? '', secret }
    },
    async revokeKey(keyId) {
      await auth.revokeToolKey({ keyId }, { token: person.token })
    },
  }
}
