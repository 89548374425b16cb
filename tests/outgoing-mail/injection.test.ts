import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import { openDatabase } from '../_database.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink, SunkMail } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn } from '../_visitor.ts'
import { until } from '../_wait.ts'
import { foundWorkspace, type Workspace } from '../_workspace.ts'

const test = (anyTest as TestFn<{ f: Guest; sink: Sink; workspace: Workspace }>).serial

test.before(async (t) => {
  const f = await joinFamily()
  t.context = { f, sink: f.sink, workspace: await foundWorkspace(f.stack) }
})
test.after.always(async (t) => {
  t.context.workspace?.[Symbol.dispose]()
  await t.context.f?.[Symbol.asyncDispose]()
})

const encoded = (text: string) => `=?utf-8?b?${Buffer.from(text).toString('base64')}?=`

/** Header fields of an incoming mail that must not leak into the reply. */
const HOSTILE: Record<string, Record<string, string>> = {
  'a subject with a header in an encoded word': { Subject: encoded('Hi\r\nBcc: victim@victim.example') },
  'a subject that ends the header': { Subject: encoded('Hi\r\n\r\nPay here') },
  'a subject of 3,000 characters': { Subject: `${'x'.repeat(900)}\r\n ${'ü'.repeat(400)}\r\n ${'y'.repeat(900)}` },
  'a subject that is an encoded word twice': { Subject: encoded(encoded('Hi\r\nBcc: victim@victim.example')) },
  'a name with a header': { From: `${encoded('Desk\r\nBcc: victim@victim.example')} <desk@clinic.example>` },
  'a name with an address': { From: '"victim@victim.example" <desk@clinic.example>' },
  'a Message-ID with a header folded into it': { 'Message-ID': '<a@b.example>\r\n Bcc: victim@victim.example' },
  'a Message-ID in an encoded word': { 'Message-ID': encoded('<a@b.example>\r\nBcc: victim@victim.example') },
  'a Message-ID of 2,000 characters': { 'Message-ID': `<${'m'.repeat(950)}\r\n ${'n'.repeat(950)}@b.example>` },
  'a Message-ID with blanks and brackets': { 'Message-ID': '<a b> <victim@victim.example>, <<c@d.example>' },
  'a Message-ID that is not one': { 'Message-ID': 'victim@victim.example' },
  'references of every kind': {
    References: `<one@b.example>\r\n Bcc: victim@victim.example <two@b.example> ${encoded('<x@y>')}\r\n ${'<r@b.example> '.repeat(60)}`,
  },
  'two Reply-To addresses': { 'Reply-To': 'desk@clinic.example, victim@victim.example' },
  'a group in Reply-To': { 'Reply-To': 'Desk: desk@clinic.example, victim@victim.example;' },
  'a quoted local part in Reply-To': { 'Reply-To': '"victim@victim.example> x"@clinic.example' },
  'an encoded word in Reply-To': {
    'Reply-To': `${encoded('desk@clinic.example>\r\nBcc: victim@victim.example')}`,
  },
  'an internationalized domain in Reply-To': { 'Reply-To': 'Büro <desk@bücher.example>' },
}

const BODY = 'Line\r\n.\r\nRCPT TO:<victim@victim.example>\r\nBcc: victim@victim.example\r\n.\r\n\u0000\u202e'

for (const [what, fields] of Object.entries(HOSTILE))
  test(`${what} adds no header or recipient to the reply`, async (t) => {
    const marker = await answer(t.context, t.context.workspace, fields)
    if (marker === undefined) return t.pass() // refused, because there is nobody to reply to
    const mail = await arrived(t.context.sink, marker)
    t.deepEqual(problemsOf(mail), [])
  })

test('in a guarded family, no reply to any of them leaves before a member sends it', async (t) => {
  const { f, sink } = t.context
  using workspace = await foundWorkspace(f.stack)
  const owner = await signIn(f, sink, workspace.owner.email)
  await owner.submit('/settings/assistants', { setting: 'guarded', value: 'on' })
  const markers: string[] = []
  for (const fields of Object.values(HOSTILE)) {
    const marker = await answer(t.context, workspace, fields, 'waiting_for_approval')
    if (marker !== undefined) markers.push(marker)
  }
  await untilNoMailIsDue(f.stack, workspace.workspaceId)
  for (const marker of markers) t.false(sink.mails.some(({ raw }) => raw.includes(marker)))
  const waiting = (await owner.get('/approvals')).text.match(/href="\/approvals\/replies\//g)
  t.true(Number(waiting?.length) > Object.keys(HOSTILE).length / 2)
})

/** As a family of an older version may have them: a new name has no address and no domain. */
const NAMES: Record<string, string> = {
  'an encoded word': encoded('Ana\r\nBcc: victim@victim.example'),
  'an address': 'victim@victim.example',
  'a name with an address': 'Bank <victim@victim.example>',
  'quotes and a second mailbox': '"Ana" <a@b.example>, "Bo"',
  'a full-width at sign': 'victim＠victim．example',
  '120 characters': '아'.repeat(120),
}

for (const [what, owner] of Object.entries(NAMES))
  test(`a member whose name is ${what} cannot pose as someone else`, async (t) => {
    const { f } = t.context
    using workspace = await foundWorkspace(f.stack)
    await using mongo = await openDatabase(f.stack, 'care-circle')
    const { workspaceId } = workspace
    await mongo
      .db()
      .collection('members')
      .updateMany({ workspaceId, email: workspace.owner.email }, { $set: { name: owner } })
    const mail = await arrived(t.context.sink, String(await answer(t.context, workspace, {})))
    t.deepEqual(problemsOf(mail), [])
  })

/** Replies to a mail with these fields, which must have this status. @returns the marker in the reply, or undefined if it was refused */
async function answer(
  { f }: { f: Guest },
  workspace: Workspace,
  fields: Record<string, string>,
  status: 'queued' | 'waiting_for_approval' = 'queued',
) {
  const [{ secret: key }, lovedOne] = await Promise.all([workspace.owner.mintKey(), workspace.addLovedOne()])
  const all = {
    From: 'Desk <desk@clinic.example>',
    Subject: 'Hello',
    'Message-ID': '<plain@clinic.example>',
    ...fields,
  }
  const header = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  await openMailer(f.stack).deliver(lovedOne.inboxAddress, `${header.join('')}\r\nA question.\r\n`)
  const list = await f.call(key, 'list_inbox_messages', { lovedOneId: lovedOne.id })
  const marker = randomText(20)
  const [{ id: messageId }] = list.json.result.structuredContent.messages
  const { json } = await f.call(key, 'reply_to_inbox_message', { messageId, body: `${marker}\r\n${BODY}` })
  if (json.result.structuredContent?.status === status) return marker
  if (/no address to reply to/.test(json.result.content[0].text)) return undefined
  throw new Error(json.result.content[0].text)
}

async function arrived(sink: Sink, marker: string): Promise<SunkMail> {
  const find = () => sink.mails.find(({ raw }) => raw.includes(marker))
  await until(async () => find() !== undefined)
  return find() as SunkMail
}

const FIELDS = /^(From|To|Reply-To|Subject|Date|Message-ID|In-Reply-To|References|MIME-Version|Content-Type)$/

/** What is wrong with a mail as received. */
function problemsOf({ from, to, raw, headers }: SunkMail): string[] {
  const problems: string[] = []
  const lines = headers.split('\r\n')
  const names = lines.map((line) => /^([\w-]+):/.exec(line)?.[1] ?? `? ${line}`)
  for (const [index, name] of names.entries())
    if (!FIELDS.test(name) || names.indexOf(name) !== index) problems.push(`a field ${name}`)
  const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
  if (!/^bounces\+[0-9a-f]{30}@family-inbox\.test$/.test(from)) problems.push(`sent by ${from}`)
  if (!/^[^<>@]*<care@family-inbox\.test>$/.test(field('From'))) problems.push(`From: ${field('From')}`)
  if (to.length !== 1 || !/^desk@(clinic|bücher)\.example$/.test(to[0] ?? '')) problems.push(`sent to ${to}`)
  if (!/^(<?desk@(clinic|xn--bcher-kva)\.example>?)$/.test(field('To'))) problems.push(`To: ${field('To')}`)
  if (!/^(<[^<>\s]+>)?( <[^<>\s]+>)*$/.test(field('References'))) problems.push(`References: ${field('References')}`)
  if (!/^(<[^<>\s]+>)?$/.test(field('In-Reply-To'))) problems.push(`In-Reply-To: ${field('In-Reply-To')}`)
  if (raw.split('\r\n').some((line) => Buffer.byteLength(line) > 998)) problems.push('a line over 998 bytes')
  if (/[^\r]\n|\r[^\n]|\0/.test(raw)) problems.push('a bare CR or LF, or a NUL')
  return problems
}
