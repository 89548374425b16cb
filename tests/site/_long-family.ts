import { randomText } from '@family-inbox/service-kit/ids/ids'
import PostalMime from 'postal-mime'
import type { Guest } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { until } from '../_wait.ts'
import { linkAgency } from '../app/_agency.ts'
import { createFeed } from '../appointments/_calendar.ts'
import { basic, inDays, invitation, newUid } from '../appointments/_invitations.ts'
import { attachment, multipartMail, text } from '../mail-corpus/build-mail.ts'
import { callTool, mintKey } from '../outgoing-mail/_approval.ts'
import { LONG_NAME, LONG_WORD } from './_phone.ts'

const BOTH = `${LONG_NAME} ${LONG_WORD}`
const SUBJECT = `Results ${LONG_WORD}`

/** A family in which everything has a long name: its people, their mail, appointments, agency and assistants. @returns its owner */
export async function openLongFamily(f: Guest, sink: Sink): Promise<Visitor> {
  const owner = await signIn(f, sink, newAddress())
  const names = { lovedOne: BOTH, yourName: BOTH, relationship: LONG_WORD.slice(0, 60), familyName: BOTH }
  await send(owner, '/welcome', { ...names, step: '2', key: 'another family' })
  await send(owner, '/welcome', { ...names, step: '2', key: 'family' })
  const { text: circle } = await owner.get('/care-circle')
  const [, lovedOneId = ''] = /\/care-circle\/loved-ones\/(lo_\w+)/.exec(circle) ?? []
  await send(owner, '/care-circle/loved-ones/new', { name: BOTH, idempotency_key: 'second' })
  await inviteOne(f, sink, owner, newAddress())
  await inviteOne(f, sink, owner)
  const paths = await receiveMail(f, owner, lovedOneId)
  await careFor(f, owner, lovedOneId)
  for (const path of paths) await workOn(owner, path)
  const key = await mintKey(owner, 'approval', LONG_WORD)
  const messageId = paths[0]?.split('/').at(-1)
  const proposals = [
    await callTool(f, key, 'reply_to_inbox_message', { messageId, body: `${BOTH}, too` }),
    await callTool(f, key, 'invite_family_member', { email: newAddress(), role: 'viewer', message: BOTH }),
  ]
  for (const { isError, text: problem } of proposals) if (isError) throw new Error(problem)
  return owner
}

function newAddress(): string {
  return `${randomText(12)}.${LONG_WORD.slice(0, 40).toLowerCase()}@${LONG_WORD.slice(0, 60).toLowerCase()}.example`
}

/** Invites a person, who accepts at once if an address is given. */
async function inviteOne(f: Guest, sink: Sink, owner: Visitor, accepts?: string): Promise<void> {
  const email = accepts ?? newAddress()
  const fields = { email, role: 'coordinator', relationship: LONG_WORD.slice(0, 60), message: BOTH }
  await send(owner, '/care-circle/invite', { ...fields, idempotency_key: email })
  if (accepts === undefined) return
  const [mail] = await sink.waitFor(email)
  const { text: words = '' } = await PostalMime.parse(mail?.raw ?? '')
  const [path = ''] = /\/invitation\/[\w-]{20,}/.exec(words) ?? []
  await send(await signIn(f, sink, email), path, { name: BOTH })
}

/** A conversation of two with a file, and an invitation. @returns the pages of the messages */
async function receiveMail(f: Guest, owner: Visitor, lovedOneId: string): Promise<string[]> {
  const { text: page } = await owner.get(`/care-circle/loved-ones/${lovedOneId}`)
  const address = /id="address"><bdi>([^<]+)/.exec(page)?.[1] ?? ''
  const mailer = openMailer(f.stack)
  const from = `${LONG_NAME} <${newAddress()}>`
  const first = `<${randomText(16)}@clinic.example>`
  const letter = (headers: Record<string, string>) =>
    multipartMail({ From: from, ...headers }, 'mixed', [
      text(`${BOTH}\n\nhttps://${LONG_WORD}.example/${LONG_WORD}`),
      attachment(`${LONG_WORD}.pdf`, 'application/pdf', Buffer.from('%PDF-1.4')),
    ])
  await mailer.deliver(address, letter({ 'Message-ID': first, Subject: SUBJECT }))
  const later = { 'Message-ID': `<${randomText(16)}@clinic.example>`, 'In-Reply-To': first, References: first }
  await mailer.deliver(address, letter({ ...later, Subject: `Re: ${SUBJECT}` }))
  await mailer.deliver(address, invitation({ uid: newUid(), from, summary: BOTH, start: basic(inDays(2)) }))
  const { text: inbox } = await owner.get(`/inbox/${lovedOneId}`)
  return [...new Set(inbox.match(/\/inbox\/lo_\w+\/msg_\w+/g) ?? [])]
}

/** What the timeline and the calendar show. */
async function careFor(f: Guest, owner: Visitor, lovedOneId: string): Promise<void> {
  const key = await mintKey(owner, 'write', LONG_WORD)
  const family = {
    keys: { owner: key, coordinator: key, viewer: key },
    lovedOnes: [{ id: lovedOneId, name: '', inboxAddress: '' }],
  }
  await (await linkAgency(f, family, BOTH)).note(BOTH)
  await send(owner, '/care-circle/codes/new', { lovedOne: lovedOneId })
  const appointment = { for: lovedOneId, title: BOTH, place: BOTH, day: inDays(6).toISOString().slice(0, 10) }
  await send(owner, '/appointments/new', { ...appointment, time: '', length: '0', request: 'one' })
  await createFeed(owner, { for: lovedOneId })
  await until(async () => (await owner.get('/appointments')).text.split(LONG_WORD).length > 3)
}

/** What a family does with a message. */
async function workOn(owner: Visitor, path: string): Promise<void> {
  const lovedOneId = path.split('/')[2] ?? ''
  await send(owner, '/settings/reply-footers', { for: lovedOneId, [`text-${lovedOneId}`]: BOTH })
  await send(owner, `${path}/notes`, { note: BOTH, key: 'note' })
  await send(owner, `${path}/reminders`, { day: inDays(3).toISOString().slice(0, 10) })
  await send(owner, `${path}/status`, { act: 'take' })
  await send(owner, `${path}/reply`, { body: BOTH, key: path })
  await send(owner, `${path}/draft`, { body: BOTH })
}

/** Every form ends in another page, or it was refused. @returns that page's address */
async function send(visitor: Visitor, path: string, fields: Record<string, string>): Promise<string> {
  const { status, headers, text: page } = await visitor.insist(path, fields)
  if (status !== 303) throw new Error(`${path} was answered ${status}: ${page}`)
  return String(headers.location)
}
