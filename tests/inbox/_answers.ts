import { createHash, generateKeyPairSync } from 'node:crypto'
import type { ResolveDns } from '@family-inbox/mail-reader/authenticity/authenticity'
import type { DemoFamily, OtherMember } from '@family-inbox/ops/demo-seed'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { dkimSign } from 'mailauth'
import type { Document, MongoClient } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Guest, joinFamily } from '../_family.ts'
import { type Letter, receiveLetter } from '../_letter.ts'
import type { Sink, SunkMail } from '../_mail-sink.ts'
import { findOpened } from '../_sealed.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { mail } from '../mail-corpus/build-mail.ts'
import { startSecondInbox } from './_second-inbox.ts'
import { connectSmtp } from './_smtp-client.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
/** The TXT record of `s1._domainkey` of each of them. */
export const KEY = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
/** Of the members, with a DMARC policy, and of an attacker. */
export const [HOME, EVIL] = ['almeida.example', 'evil.example']
const SIGNING = [HOME, `mail.${HOME}`, EVIL]

/** A name server with the DKIM keys of these domains. */
const resolveDns: ResolveDns = async (name, type) => {
  if (type === 'TXT' && SIGNING.some((domain) => name === `s1._domainkey.${domain}`)) return [KEY.match(/.{1,250}/g)]
  if (type === 'TXT' && name === `_dmarc.${HOME}`) return [['v=DMARC1; p=reject']]
  throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
}

export type Desk = AsyncDisposable & { f: Guest; sink: Sink; mongo: MongoClient; smtpPort: number }

/** A shared stack with an inbox beside it whose name server knows the members' domain. */
export async function openAnswerDesk(): Promise<Desk> {
  await using opening = new AsyncDisposableStack()
  const f = opening.use(await joinFamily('quick'))
  const mongo = await openDatabase(f.stack, 'inbox')
  opening.defer(() => mongo.close())
  const env = { SMTP_URL: f.sink.url, NOTIFICATION_DELAY_SECONDS: '2', REPLY_UNDO_SECONDS: '10' }
  const { smtpPort } = opening.use(await startSecondInbox(f.stack, { env, resolveDns }))
  const opened = opening.move()
  return { f, sink: f.sink, mongo, smtpPort, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

export type Notified<Other extends OtherMember = never> = {
  family: DemoFamily<Other>
  visitor: Visitor
  email: string
  letter: Letter
  mail: SunkMail
  address: string
}

const isNotification = ({ headers }: SunkMail) => /^Subject: \d+ new messages? for/m.test(headers)

/** Asks for notifications of each message, answered by mail unless told otherwise. */
export async function ask({ f, sink }: Desk, email: string, answerByMail = '1'): Promise<Visitor> {
  const visitor = await signIn(f, sink, email)
  const form = { mode: 'each', timeZone: 'Europe/Lisbon', answerByMail }
  await visitor.save('/settings/notifications', form)
  return visitor
}

/** A member of a new family who is notified of one message. */
export async function notify<Other extends OtherMember = never>(
  desk: Desk,
  who: 'owner' | Other = 'owner',
  { answerByMail = '1', others = who === 'owner' ? [] : [who] }: { answerByMail?: string; others?: Other[] } = {},
): Promise<Notified<Other>> {
  const family = await desk.f.another({ others })
  const email = family.people[who]
  const visitor = await ask(desk, email, answerByMail)
  const letter = await receiveLetter(desk.f, visitor, family)
  const sent = await awaitNotification(desk, email)
  return { family, visitor, email, letter, mail: sent, address: replyToOf(sent) }
}

export async function awaitNotification({ sink }: Desk, email: string): Promise<SunkMail> {
  const find = async () => sink.mails.find((one) => one.to.includes(email) && isNotification(one))
  const found = await readUntil(find, (one) => one !== undefined)
  if (found === undefined) throw new Error('no notification')
  return found
}

export function replyToOf({ headers }: SunkMail): string {
  return /^Reply-To: <?([^\s<>]+)>?$/m.exec(headers)?.[1] ?? ''
}

/** The text of one of our own mails, in one line. */
export function textOf({ raw }: SunkMail): string {
  const [, plain = ''] = raw.split(/Content-Type: text\/plain[^\n]*\r\n(?:[\w-]+: .*\r\n)*\r\n/)
  const bytes = plain.split('\r\n--')[0]?.replaceAll('=\r\n', '') ?? ''
  const decoded = bytes.replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(decoded, 'latin1').toString().replace(/\s+/g, ' ')
}

export type Sent = {
  from: string
  to: string
  text?: string
  fields?: Record<string, string | null>
  /** The whole body, with the fields that describe it. */
  body?: Buffer
  /** The domain of its signature; empty for none. */
  signedBy?: string
  /** What the signature covers. */
  covers?: string[]
}

/** A mail as the member's program and server send it: it quotes the notification, and is signed. */
export async function write({ from, to, text, fields, body, signedBy = HOME, covers }: Sent): Promise<string> {
  const head = {
    From: from,
    To: to,
    Subject: 'Re: 1 new message for Rosa Almeida',
    'Message-ID': `<${crypto.randomUUID()}@${HOME}>`,
    Date: new Date(Date.now() - Math.floor(Math.random() * 1e8)).toUTCString(),
    ...fields,
  }
  const raw = mail(head, body ?? text ?? 'Monday is fine.').toString('latin1')
  if (signedBy === '') return raw
  const signer = { signingDomain: signedBy, selector: 's1', privateKey: PEM }
  const options = { ...signer, ...(covers && { headerList: covers }), signatureData: [signer] }
  return `${(await dkimSign(Buffer.from(raw, 'latin1'), options as never)).signatures}${raw}`
}

/** Hands a mail over. @returns the answer to RCPT if it was refused, or else to the mail */
export async function hand({ smtpPort }: Pick<Desk, 'smtpPort'>, to: string, raw: string, sender = 'x@evil.example') {
  using client = await connectSmtp(smtpPort)
  await client.say('EHLO home.example')
  await client.say(`MAIL FROM:<${sender}>`)
  const accepted = await client.say(`RCPT TO:<${to}>`)
  if (!accepted.startsWith('250')) return accepted
  await client.say('DATA')
  return await client.end(Buffer.from(raw.replace(/\r\n$/, ''), 'latin1'))
}

/** What mail programs write below an answer. */
export function quoted(own: string): string {
  const notification = [
    'You have new mail:',
    '',
    'Rosa Almeida: 1 new message',
    '',
    'For privacy, this email doesn’t include the messages.',
  ]
  return [
    own,
    '',
    'On Fri, Nov 20, 2026 at 9:00 AM Family Care Inbox <care@family-inbox.test> wrote:',
    '',
    ...notification.map((line) => `> ${line}`),
  ].join('\n')
}

export async function repliesOf({ f, mongo }: Desk, { family }: Pick<Notified, 'family'>) {
  const rows = await findOpened(f.stack, mongo.db(), 'replies', { workspaceId: family.workspaceId })
  return rows.sort(byTime).map(({ _id, body, to, name, byMail }) => ({ id: `${_id}`, body, to, name, byMail }))
}

export async function notesOf({ f, mongo }: Desk, { family }: Pick<Notified, 'family'>): Promise<string[]> {
  const rows = await findOpened(f.stack, mongo.db(), 'notes', { workspaceId: family.workspaceId })
  return rows.sort(byTime).map(({ name, text }) => `${name}: ${text}`)
}

function byTime(one: Document, other: Document): number {
  return one.createdAt - other.createdAt
}

/** The emails about what was not sent, once no more mail is due. */
export async function toldTo(
  { f, sink }: Desk,
  { email, family }: Pick<Notified, 'email' | 'family'>,
): Promise<SunkMail[]> {
  await untilNoMailIsDue(f.stack, family.workspaceId)
  const told = (one: SunkMail) =>
    one.to.includes(email) && /^Subject: Your answer by email was not sent$/m.test(one.headers)
  return sink.mails.filter(told)
}

export function addressIdOf(address: string): string {
  return createHash('sha256')
    .update(address.split('@')[0] ?? '')
    .digest('hex')
}

/** Lets the hour pass in which the member gets no other such email. */
export async function passAnHour({ mongo }: Desk, { address }: Pick<Notified, 'address'>): Promise<void> {
  await mongo
    .db()
    .collection<{ _id: string }>('mail_allowances')
    .deleteOne({ _id: `not-sent/${addressIdOf(address)}` })
}

export function newSubject(): string {
  return `Words ${randomText(8)}`
}
