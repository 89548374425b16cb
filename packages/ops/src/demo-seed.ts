import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { demoMail } from './demo-mail.ts'
import { retryUntilDone } from './retry-until-done.ts'
import { connect, type Services } from './services.ts'
import type { Target } from './target.ts'

export type DemoFamily<Other extends OtherMember = OtherMember> = {
  workspaceId: string
  /** Their email addresses. */
  people: Record<'owner' | Other, string>
  lovedOnes: { id: string; name: string; inboxAddress: string }[]
  /** Tool keys. They cannot be read again. */
  keys: Record<'owner' | Other, string>
}

/** Whom the owner invites. */
export type OtherMember = keyof typeof OTHERS

const OTHERS = {
  coordinator: { name: 'Luis Almeida', role: Role.COORDINATOR, relationship: 'son' },
  viewer: { name: 'Marta Duarte', role: Role.VIEWER, relationship: 'neighbour' },
}

const ALL_OTHERS: readonly OtherMember[] = ['coordinator', 'viewer']

export const LOVED_ONES = ['Rosa Almeida', 'Jorge Almeida']

/** A slow machine needs several seconds for an attempt: this is enough for another one or two. */
const BUSY_MS = 20_000

/** Creates another family, with mail that came through the real SMTP port. */
export async function seedDemo(target: Target): Promise<DemoFamily> {
  const family = await seedFamily(target)
  await deliverDemoMail(target, family)
  return family
}

/**
 * Creates another family, without mail. A machine that just started everything can be too busy for a step, so it begins
 * again; nobody sees the family that is left behind, since nobody has its keys.
 * @param others by default everyone. Each costs more than the rest of the family: an invitation is a mail
 */
export function seedFamily<Other extends OtherMember = OtherMember>(
  target: Target,
  others = ALL_OTHERS as readonly Other[],
): Promise<DemoFamily<Other>> {
  return retryUntilDone(BUSY_MS, () => createFamily(target, others))
}

async function createFamily<Other extends OtherMember>(
  target: Target,
  others: readonly Other[],
): Promise<DemoFamily<Other>> {
  using services = await connect(target)
  const owner = await createPerson(services, 'Ana Almeida')
  const { workspaceId } = await services.careCircle.createWorkspace(
    { name: 'The Almeida family', ownerName: owner.name, relationship: 'daughter' },
    { token: owner.token },
  )
  const ownerToken = await enter(services, owner, workspaceId)
  const people: Partial<DemoFamily['people']> = { owner: owner.email }
  const keys: Partial<DemoFamily['keys']> = { owner: await mintKey(services, ownerToken) }
  for (const other of others) {
    const person = await join(services, ownerToken, OTHERS[other])
    people[other] = person.email
    keys[other] = await mintKey(services, await enter(services, person, workspaceId))
  }
  const lovedOnes = []
  for (const name of LOVED_ONES) lovedOnes.push(await addLovedOne(services, ownerToken, name))
  return { workspaceId, lovedOnes, people, keys } as DemoFamily<Other>
}

type NewPerson = { name: string; email: string; token: string }

async function createPerson(services: Services, name: string): Promise<NewPerson> {
  const email = `${name.split(' ')[0]?.toLowerCase()}.${randomText(8)}@almeida.example`
  const { principal } = await services.auth.createPerson({ email, name })
  return { name, email, token: principal }
}

async function enter(services: Services, person: NewPerson, workspaceId: string): Promise<string> {
  const { principal } = await services.auth.switchWorkspace({ workspaceId }, { token: person.token })
  return principal
}

async function join(services: Services, ownerToken: string, { name, ...invited }: (typeof OTHERS)[OtherMember]) {
  const person = await createPerson(services, name)
  const { token } = await services.careCircle.inviteMember(
    { ...invited, email: person.email, message: '', idempotencyKey: '' },
    { token: ownerToken },
  )
  await services.careCircle.acceptInvitation({ token, name }, { token: person.token })
  return person
}

export async function addLovedOne(services: Services, token: string, name: string) {
  const { lovedOne } = await services.careCircle.addLovedOne({ name }, { token })
  const { id } = lovedOne ?? { id: '' }
  const { address } = await services.inbox.allocateInboxAddress({ lovedOneId: id }, { token })
  return { id, name, inboxAddress: address }
}

async function mintKey(services: Services, token: string): Promise<string> {
  const { secret } = await services.auth.mintToolKey({ name: 'Demo key', scopes: [] }, { token })
  return secret
}

export function deliverDemoMail(target: Target, { lovedOnes }: Pick<DemoFamily, 'lovedOnes'>): Promise<void> {
  return deliverMail(
    target,
    lovedOnes.map(({ inboxAddress }) => inboxAddress),
  )
}

export async function deliverMail({ smtp }: Target, addresses: string[]): Promise<void> {
  // Imported here: most families of tests begin without mail.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({ ...smtp, secure: false, ignoreTLS: true, pool: true, maxConnections: 1 })
  for (const { lovedOne, daysAgo, ...mail } of demoMail) {
    await retryUntilDone(BUSY_MS, () =>
      transport
        .sendMail({ ...mail, to: addresses[lovedOne], date: new Date(Date.now() - daysAgo * DAY_MS) })
        .catch(throwRefusal),
    )
  }
  transport.close()
}

/** After a temporary refusal a mail is offered again (RFC 5321 section 4.5.4.1). */
function throwRefusal(error: { responseCode?: number }): never {
  const { responseCode = 0 } = error
  if (responseCode >= 400 && responseCode < 500) throw new StatusError('UNAVAILABLE', 'The mail was refused for now.')
  throw error
}
