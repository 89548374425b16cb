import { generateKeyPairSync } from 'node:crypto'
import type { ResolveDns } from '@family-inbox/mail-reader/authenticity/authenticity'
import {
  type Appointment,
  AppointmentSource,
  CareCircleServiceService,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import test from 'ava'
import { dkimSign } from 'mailauth'
import { openDatabase } from '../_database.ts'
import { dialAsHolder } from '../_dial-as-holder.ts'
import { untilAnswered } from '../_outcome.ts'
import type { LeasedStack } from '../_shared-stack.ts'
import { readUntil } from '../_wait.ts'
import { type Family, joinPostOffice, type PostOffice } from '../inbox/_post-office.ts'
import { type SecondInbox, startSecondInbox } from '../inbox/_second-inbox.ts'
import { deliver } from '../inbox/_smtp-client.ts'
import { basic, type InvitationWords, inDays, invitation, newUid } from './_invitations.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const KEY = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`
const DOMAINS = ['clinic.example', 'evil.example', 'santos.example']

const resolveDns: ResolveDns = async (name, type) => {
  if (type === 'TXT' && DOMAINS.some((domain) => name === `s1._domainkey.${domain}`)) return [KEY.match(/.{1,250}/g)]
  if (type === 'TXT' && DOMAINS.some((domain) => name === `_dmarc.${domain}`)) return [['v=DMARC1; p=reject']]
  throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
}

type CareCircle = Awaited<ReturnType<typeof dialAsHolder<typeof CareCircleServiceService>>>

let office: PostOffice<LeasedStack>
let second: SecondInbox
let careCircle: CareCircle

test.before(async () => {
  office = await joinPostOffice('mortal')
  second = await startSecondInbox(office.stack, { resolveDns })
  const address = office.stack.addresses['care-circle'] ?? ''
  careCircle = await dialAsHolder(CareCircleServiceService, address, office.stack, 'site')
})
test.after.always(async () => {
  careCircle?.close()
  await second?.[Symbol.asyncDispose]()
  await office?.[Symbol.asyncDispose]()
})

type Sent = InvitationWords & { signedBy?: string; forwarded?: true }

async function send({ lovedOnes: [lovedOne] }: Family, { signedBy, forwarded, ...words }: Sent): Promise<void> {
  const plain = invitation(words).toString()
  const raw = forwarded ? plain.replace('Your appointment:', `${FORWARDED}\r\nYour appointment:`) : plain
  const answer = await deliver(
    second.smtpPort,
    lovedOne?.address ?? '',
    `${await signature(raw, signedBy)}${raw}`.trimEnd(),
  )
  if (!answer.startsWith('250')) throw new Error(answer)
}

const FORWARDED =
  '---------- Forwarded message ---------\r\nFrom: Clinic desk <desk@clinic.example>\r\nSubject: Visit\r\n'

async function signature(raw: string, signingDomain?: string): Promise<string> {
  if (signingDomain === undefined) return ''
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const signer = { signingDomain, selector: 's1', privateKey: key }
  return (await dkimSign(raw, { ...signer, signatureData: [signer] })).signatures
}

function list({ owner }: Family): Promise<Appointment[]> {
  const all = { lovedOneId: '', from: undefined, until: undefined, pageSize: 0, pageToken: '' }
  return untilAnswered(async () => (await careCircle.listAppointments(all, { token: owner })).appointments)
}

/** Mail sent before has been handled when this newer one has. */
async function settle(family: Family): Promise<void> {
  const uid = newUid()
  await send(family, { uid, summary: `Last ${uid}`, from: 'last@clinic.example', start: basic(inDays(300)) })
  await readUntil(
    () => list(family),
    (all) => all.some(({ title }) => title === `Last ${uid}`),
  )
}

const clinic = { from: 'Clinic desk <desk@clinic.example>', signedBy: 'clinic.example' }

test.serial('a verified clinic moves and cancels its own appointment', async (t) => {
  const family = await office.family()
  const uid = newUid()
  await send(family, { ...clinic, uid, start: basic(inDays(3)) })
  const [first] = await readUntil(
    () => list(family),
    (all) => all.length === 1,
  )
  t.is(first?.source, AppointmentSource.VERIFIED)
  await send(family, { ...clinic, uid, start: basic(inDays(5)), sequence: 1 })
  await readUntil(
    () => list(family),
    ([one]) => one?.start?.at?.getTime() === inDays(5).getTime(),
  )
  await send(family, { ...clinic, uid, start: basic(inDays(5)), sequence: 2, method: 'CANCEL' })
  const all = await readUntil(
    () => list(family),
    ([one]) => one?.canceled === true,
  )
  t.is(all.length, 1)
  t.is(all[0]?.id, first?.id)
})

test.serial('nobody else moves or cancels it, whatever UID, sequence and organizer they write', async (t) => {
  const family = await office.family()
  const uid = newUid()
  await send(family, { ...clinic, uid, start: basic(inDays(3)) })
  const [original] = await readUntil(
    () => list(family),
    (all) => all.length === 1,
  )
  const attacks: Sent[] = [
    // Another sender, well authenticated.
    { uid, from: 'x@evil.example', signedBy: 'evil.example', sequence: 9 },
    {
      uid,
      from: 'Clinic desk <x@evil.example>',
      signedBy: 'evil.example',
      sequence: 9,
      organizer: 'desk@clinic.example',
    },
    // The clinic's address, without its signature.
    { uid, from: 'Clinic desk <desk@clinic.example>', sequence: 9 },
    { uid, from: 'Clinic desk <desk@clinic.example>', signedBy: 'evil.example', sequence: 9 },
    // Somebody else of the same clinic's domain, or with another organizer.
    { uid, from: 'other@clinic.example', signedBy: 'clinic.example', sequence: 9 },
    { uid, ...clinic, organizer: 'other@clinic.example', sequence: 9 },
    // A stranger who pretends to forward the clinic's mail.
    { uid, from: 'x@evil.example', signedBy: 'evil.example', forwarded: true, sequence: 9 },
  ]
  for (const attack of attacks) {
    await send(family, { ...attack, start: basic(inDays(9)) })
    await send(family, { ...attack, start: basic(inDays(9)), method: 'CANCEL', sequence: 10 })
  }
  await settle(family)
  const all = await list(family)
  const now = all.find(({ id }) => id === original?.id)
  t.deepEqual(now?.start, original?.start)
  t.false(now?.canceled)
  t.is(now?.changedAt, undefined)
})

test.serial(
  'a colleague with proof cancels a clinic’s appointment, and nobody at another domain or without proof does',
  async (t) => {
    const family = await office.family()
    const uid = newUid()
    await send(family, { ...clinic, uid, start: basic(inDays(3)) })
    await readUntil(
      () => list(family),
      (all) => all.length === 1,
    )
    const cancel = { uid, method: 'CANCEL', sequence: 3, start: basic(inDays(3)) }
    const colleague = 'Reception <reception@clinic.example>'
    await send(family, { ...cancel, from: colleague })
    await send(family, { ...cancel, from: colleague, signedBy: 'evil.example' })
    await send(family, { ...cancel, from: 'x@evil.example', signedBy: 'evil.example' })
    await send(family, { ...cancel, from: 'x@evil.example', signedBy: 'evil.example', organizer: 'x@evil.example' })
    await settle(family)
    t.deepEqual(
      (await list(family)).map(({ canceled }) => canceled),
      [false, false],
    )
    await send(family, { ...cancel, from: colleague, signedBy: 'clinic.example' })
    const all = await readUntil(
      () => list(family),
      (some) => some.some(({ canceled }) => canceled),
    )
    t.is(all.length, 2, 'the other one is the mark that was sent last')
  },
)

test.serial('a stranger with a clinic’s UID does not keep the clinic’s appointment out', async (t) => {
  const family = await office.family()
  const uid = newUid()
  await send(family, { uid, from: 'x@evil.example', signedBy: 'evil.example', sequence: 900, start: basic(inDays(9)) })
  await readUntil(
    () => list(family),
    (all) => all.length === 1,
  )
  await send(family, { ...clinic, uid, start: basic(inDays(3)) })
  const all = await readUntil(
    () => list(family),
    (some) => some.length === 2,
  )
  t.deepEqual(
    all.map(({ senderAddress }) => senderAddress),
    ['desk@clinic.example', 'x@evil.example'],
  )
})

test.serial('an appointment names its sender as the mail does, whatever organizer the file names', async (t) => {
  const family = await office.family()
  await send(family, { uid: newUid(), from: 'x@evil.example', signedBy: 'evil.example', start: basic(inDays(3)) })
  const [one] = await readUntil(
    () => list(family),
    (all) => all.length === 1,
  )
  t.is(one?.source, AppointmentSource.VERIFIED)
  t.is(one?.senderName, '')
  t.is(one?.senderAddress, 'x@evil.example')
})

test.serial('a stranger’s cancellation of what nobody planned shows nothing', async (t) => {
  const family = await office.family()
  await send(family, { uid: newUid(), method: 'CANCEL', start: basic(inDays(3)) })
  await settle(family)
  t.is((await list(family)).length, 1)
})

test.serial('what a member forwarded becomes the clinic’s own when the clinic writes', async (t) => {
  const family = await office.family()
  const uid = newUid()
  await using mongo = await openDatabase(office.stack, 'care-circle')
  const { workspaceId } = family
  const [owner] = await mongo.db().collection('members').find({ workspaceId }).sort({ joinedAt: 1 }).toArray()
  const member = { from: `Ines <${owner?.email}>`, signedBy: 'santos.example', forwarded: true } as const
  // With a sequence that no mail of the clinic would reach.
  await send(family, { ...member, uid, summary: 'Pay here', start: basic(inDays(3)), sequence: 900 })
  const [forwarded] = await readUntil(
    () => list(family),
    (all) => all.length === 1,
  )
  t.is(forwarded?.source, AppointmentSource.FORWARDED)
  await send(family, { ...clinic, uid, start: basic(inDays(4)), sequence: 1 })
  const [now] = await readUntil(
    () => list(family),
    ([one]) => one?.source === AppointmentSource.VERIFIED,
  )
  t.is(now?.id, forwarded?.id)
  t.is(now?.title, 'Eye doctor')
  t.deepEqual(now?.start?.at, inDays(4))
  await send(family, { ...member, uid, start: basic(inDays(4)), sequence: 1 })
  await settle(family)
  t.is((await list(family)).length, 2, 'the same again by a member adds nothing')
})

test.serial('strangers, and what is over, do not keep a clinic’s or a member’s appointments out', async (t) => {
  const family = await office.family()
  const { workspaceId, lovedOnes } = family
  const lovedOneId = lovedOnes[0]?.id ?? ''
  await using mongo = await openDatabase(office.stack, 'care-circle')
  const rows = (count: number, words: { proof: string; senderAddress: string; lastEndsAt: Date }) =>
    Array.from({ length: count }, (_, index) => {
      const name = `${words.proof} ${words.lastEndsAt.getTime()} ${index}`
      const stored = { uidHash: name, owner: name, messageIds: [], components: [], occurrences: [], going: [] }
      return {
        _id: `${family.workspaceId} ${name}` as never,
        workspaceId,
        lovedOneId,
        ...words,
        ...stored,
        activeUntil: words.lastEndsAt,
      }
    })
  await mongo
    .db()
    .collection('appointments')
    .insertMany([
      ...rows(3000, { proof: 'verified', senderAddress: 'desk@clinic.example', lastEndsAt: inDays(-9) }),
      ...rows(300, { proof: 'unverified', senderAddress: 'y@evil.example', lastEndsAt: inDays(9) }),
      ...rows(300, { proof: 'verified', senderAddress: 'x@evil.example', lastEndsAt: inDays(9) }),
    ])
  for (const count of [1, 2]) {
    await send(family, { ...clinic, uid: newUid(), start: basic(inDays(count)) })
    await readUntil(
      () => list(family),
      (all) => all.filter(({ senderAddress }) => senderAddress === 'desk@clinic.example').length === count,
    )
  }
  t.is((await list(family)).length, 2)
  const own = { lovedOneId, title: 'Walk', place: '', start: { at: inDays(3), local: '' }, durationMinutes: 0 }
  const added = { ...own, messageId: '', idempotencyKey: '' }
  await untilAnswered(() => careCircle.addAppointment(added, { token: family.owner }))
  t.is((await list(family)).length, 3)
})

test.serial('another family sees nothing of it', async (t) => {
  const [family, other] = [await office.family(), await office.family()]
  await send(family, { ...clinic, uid: newUid(), start: basic(inDays(3)) })
  const [one] = await readUntil(
    () => list(family),
    (all) => all.length === 1,
  )
  t.deepEqual(await list(other), [])
  const { id: appointmentId = '', occurrence = '' } = one ?? {}
  const asOther = { token: other.owner }
  for (const attempt of [
    () => careCircle.getAppointment({ appointmentId, occurrence }, asOther),
    () => careCircle.cancelAppointment({ appointmentId, occurrence }, asOther),
    () => careCircle.setGoing({ appointmentId, occurrence, going: true, timeZone: '' }, asOther),
  ])
    await t.throwsAsync(untilAnswered(attempt as () => Promise<unknown>), { message: /no such appointment/ })
  const lovedOneId = family.lovedOnes[0]?.id ?? ''
  const asked = { lovedOneId, withDetails: true, idempotencyKey: '' }
  await t.throwsAsync(() => untilAnswered(() => careCircle.createCalendarFeed(asked, asOther)), {
    message: /no loved one/,
  })
})

test.serial('saying “I’ll go” many times is saying it once, and viewers only read', async (t) => {
  const family = await office.family()
  await send(family, { ...clinic, uid: newUid(), start: basic(inDays(3)) })
  const [one] = await readUntil(
    () => list(family),
    (all) => all.length === 1,
  )
  const request = { appointmentId: one?.id ?? '', occurrence: '', going: true, timeZone: '' }
  await Promise.all(
    Array.from({ length: 20 }, () => untilAnswered(() => careCircle.setGoing(request, { token: family.owner }))),
  )
  t.is((await list(family))[0]?.going.length, 1)
  await t.throwsAsync(() => careCircle.setGoing(request, { token: family.viewer }), { message: /Viewers/ })
  const cancel = { appointmentId: one?.id ?? '', occurrence: '' }
  await t.throwsAsync(() => careCircle.cancelAppointment(cancel, { token: family.viewer }), { message: /Viewers/ })
  await untilAnswered(() => careCircle.setGoing({ ...request, going: false }, { token: family.owner }))
  t.is((await list(family))[0]?.going.length, 0)
})
