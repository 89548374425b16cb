import { identityKeys } from '@family-inbox/local-stack/secrets'
import { InboxServiceService } from '@family-inbox/proto/inbox/v1/inbox'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import ical, { type VEvent } from 'node-ical'
import { hashRecipient } from '../../services/inbox/src/models/stopped-recipient.ts'
import { openDatabase } from '../_database.ts'
import { dialPatiently } from '../_dial-patiently.ts'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Answer, type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { untilPageAnswered } from '../_outcome.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { pathOf } from '../appointments/_calendar.ts'
import { basic, type InvitationWords, inDays, invitation, newUid } from '../appointments/_invitations.ts'

type World = { f: Guest; sink: Sink; owner: Visitor; coordinator: Visitor; viewer: Visitor }

const test = (anyTest as TestFn<World>).serial
/** To one address in 24 hours. */
const LIMIT = 30
const MOST = 4
const ROSA = 'rosa@almeida.example'

test.before(async ({ context }) => {
  const f = await joinFamily()
  Object.assign(context, { f, sink: f.sink })
  const { owner, coordinator, viewer } = context.f.family.people
  context.owner = await signIn(context.f, context.sink, owner)
  context.coordinator = await signIn(context.f, context.sink, coordinator)
  context.viewer = await signIn(context.f, context.sink, viewer)
})
test.after.always(async ({ context }) => {
  await context.f?.[Symbol.asyncDispose]()
})

const untilQuiet = ({ f }: Pick<World, 'f'>) => untilNoMailIsDue(f.stack, f.family.workspaceId)

type Invited = InvitationWords & { organizer: string; summary: string; path: string }

/** Delivers an invitation from an organizer of its own. */
async function invite(
  { f, owner }: Pick<World, 'f' | 'owner'>,
  words: Partial<InvitationWords> = {},
): Promise<Invited> {
  const summary = `Visit ${randomText(8)}`
  const organizer = `${randomText(8)}@clinic.example`
  const more = [`ATTENDEE;CN=Rosa;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:${ROSA}`]
  const said = { uid: newUid(), organizer, summary, start: basic(inDays(3)), more, ...words }
  const { id = '', inboxAddress = '' } = f.family.lovedOnes[0] ?? {}
  await openMailer(f.stack).deliver(inboxAddress, invitation(said))
  const subject = `Invitation: ${said.summary}`
  const find = (text: string) => new RegExp(`/inbox/${id}/(msg_[a-z0-9]+)[^>]*><bdi>${subject}`).exec(text)?.[1]
  const { text } = await readUntil(
    () => owner.get(`/inbox/${id}`),
    (page) => find(page.text) !== undefined,
  )
  return { ...said, path: `/inbox/${id}/${find(text)}` }
}

/** Opens the page that says what would be mailed. @param word yes or no */
async function openAnswer(visitor: Visitor, path: string, word: 'yes' | 'no'): Promise<Answer> {
  const find = (text: string) => new RegExp(`href="([^"]+/answer\\?[^"]*coming=${word})"`).exec(text)?.[1]
  const { text } = await readUntil(
    () => visitor.get(path),
    (page) => find(page.text) !== undefined,
  )
  return visitor.get((find(text) ?? '').replaceAll('&#38;', '&').replaceAll('&amp;', '&'))
}

function fieldsOf({ text }: Answer): Record<string, string> {
  const inputs = text.matchAll(/<input type="hidden" name="(request|coming|turn|event|attendee)" value="([^"]*)"/g)
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]))
}

const send = (visitor: Visitor, path: string, form: Answer, more: Record<string, string> = {}) =>
  visitor.submit(`${path}/answer`, { ...fieldsOf(form), ...more })

/** The calendar part, as another program reads it. */
function readAnswer(raw: string) {
  const [head = '', ...rest] = raw.slice(raw.search(/^Content-Type: text\/calendar/im)).split('\r\n\r\n')
  const body = (rest.join('\r\n\r\n').split('\r\n--')[0] ?? '').trim()
  const encoding = /Content-Transfer-Encoding: (\S+)/i.exec(head)?.[1]?.toLowerCase()
  const text = encoding === 'base64' ? Buffer.from(body, 'base64').toString() : body
  const calendar = ical.sync.parseICS(text)
  const event = Object.values(calendar).find((one): one is VEvent => one?.type === 'VEVENT')
  const method = (calendar.vcalendar as { method?: string } | undefined)?.method
  const attendee = event?.attendee as { val: string; params: Record<string, string> } | undefined
  return { head, text, method, event, attendee: attendee?.val, partstat: attendee?.params.PARTSTAT }
}

test('the page says what is mailed to whom, and the organizer’s program reads the answer', async (t) => {
  const { sink, owner, viewer } = t.context
  const { path, organizer, uid, summary } = await invite(t.context, { sequence: 2 })
  const form = await openAnswer(owner, path, 'yes')
  t.regex(form.text, new RegExp(`<strong><bdi>${organizer}`))
  t.regex(form.text, /doesn’t prove that this is their address/)
  t.regex(form.text, /You’re answering as <bdi>rosa@almeida\.example/)
  const [, shown = ''] = /<div class="body answer-text" dir="auto">([^<]+)/.exec(form.text) ?? []
  t.regex(shown, new RegExp(`^We are coming to “${summary}” on \\w+day, .* UTC\\.$`))
  t.is(sink.mails.filter(({ to }) => to.includes(organizer)).length, 0)

  t.is((await send(owner, path, form)).status, 303)
  const [mail] = await sink.waitFor(organizer)
  t.regex(mail?.headers ?? '', /^From: "?Ana Almeida.*<care@family-inbox\.test>$/m)
  t.regex(mail?.headers ?? '', new RegExp(`^Subject: Re: Invitation: ${summary}$`, 'm'))
  t.regex(mail?.raw ?? '', /We are coming to/)
  const { head, text, ...read } = readAnswer(mail?.raw ?? '')
  t.regex(head, /^Content-Type: text\/calendar; charset=utf-8; method=REPLY; component=VEVENT/)
  t.like(read, { method: 'REPLY', attendee: `mailto:${ROSA}`, partstat: 'ACCEPTED' })
  t.is(read.event?.uid, uid)
  t.is(Number(read.event?.sequence), 2)
  t.regex(text, new RegExp(`\r\nORGANIZER:mailto:${organizer}\r\n`))
  t.regex(text, /\r\nDTSTAMP:\d{8}T\d{6}Z\r\n/)
  t.notRegex(text, /RECURRENCE-ID/)

  for (const member of [owner, viewer]) {
    const page = await member.get(path)
    t.regex(page.text, new RegExp(`Ana Almeida</bdi> told <bdi>${organizer}</bdi> that you are coming`))
  }
  const list = await readUntil(
    () => owner.get('/appointments'),
    (page) => pathOf(page.text, summary) !== '',
  )
  t.regex((await owner.get(pathOf(list.text, summary))).text, /Ana Almeida<\/bdi> told/)
})

test('the one who accepts says on the same page that they go along', async (t) => {
  const { sink, owner, viewer } = t.context
  const { path, organizer, summary } = await invite(t.context)
  const listed = await readUntil(
    () => viewer.get('/appointments'),
    (page) => pathOf(page.text, summary) !== '',
  )
  t.regex((await viewer.get(pathOf(listed.text, summary))).text, /Nobody yet/)
  const form = await openAnswer(owner, path, 'yes')
  t.regex(form.text, /name="going" value="1"> <span>I’m going along/)
  await send(owner, path, form, { going: '1' })
  await sink.waitFor(organizer)
  t.regex((await viewer.get(pathOf(listed.text, summary))).text, /<dt>Going<\/dt><dd><bdi>Ana Almeida/)
  t.notRegex((await openAnswer(owner, path, 'no')).text, /going along/)
})

test('of two members who answer together, one does, and the other learns who did and what', async (t) => {
  const { sink, owner, coordinator } = t.context
  for (const [first, second] of [['yes', 'no'] as const, ['yes', 'yes'] as const]) {
    const { path, organizer } = await invite(t.context)
    const forms = await Promise.all([openAnswer(owner, path, first), openAnswer(coordinator, path, second)])
    // The same form again is the same answer, so a busy machine can be asked again.
    const answers = await Promise.all(
      forms.map((form, who) => untilPageAnswered(() => send(who === 0 ? owner : coordinator, path, form))),
    )
    t.deepEqual(answers.map(({ status }) => status).sort(), [303, 422])
    const refused = answers.find(({ status }) => status === 422)
    t.regex(
      refused?.text ?? '',
      new RegExp(`(Ana|Luis) Almeida already told ${organizer} that your family (is|can’t) com`),
    )
    await sink.waitFor(organizer)
    await untilQuiet(t.context)
    t.is(sink.mails.filter(({ to }) => to.includes(organizer)).length, 1)
  }
})

test('a changed answer and a changed invitation are answered by a new mail, up to the limit for one address', async (t) => {
  const { sink, owner, coordinator } = t.context
  const asked = await invite(t.context)
  const { path, organizer } = asked
  await spendAllBut(MOST, t.context.f, organizer)
  const first = await openAnswer(owner, path, 'yes')
  t.is((await send(owner, path, first)).status, 303)
  t.is((await send(owner, path, first)).status, 303, 'the same form again')
  const stale = await send(coordinator, path, first, { coming: 'no' })
  t.regex(stale.text, /Ana Almeida already told/)
  const again = await send(coordinator, path, first, { turn: '1' })
  t.regex(again.text, /Ana Almeida already told/)
  for (const turn of ['-1', '7']) t.is((await send(owner, path, first, { turn, coming: 'no' })).status, 422)

  t.is((await send(coordinator, path, await openAnswer(coordinator, path, 'no'))).status, 303)
  const two = await sink.waitFor(organizer, 2)
  t.deepEqual(
    two.map(({ raw }) => readAnswer(raw).partstat),
    ['ACCEPTED', 'DECLINED'],
  )
  await invite(t.context, { ...asked, sequence: 1, start: basic(inDays(4)) })
  const newer = await findNewer(t.context, asked)
  t.is((await send(owner, newer, await openAnswer(owner, newer, 'no'))).status, 303)
  t.is(Number(readAnswer((await sink.waitFor(organizer, 3))[2]?.raw ?? '').event?.sequence), 1)

  t.is((await send(owner, newer, await openAnswer(owner, newer, 'yes'))).status, 303)
  const over = await send(owner, newer, await openAnswer(owner, newer, 'no'))
  t.is(over.status, 422)
  t.regex(over.text, /reached its limit for replies to this address/)
  await sink.waitFor(organizer, MOST)
  await untilQuiet(t.context)
  t.is(sink.mails.filter(({ to }) => to.includes(organizer)).length, MOST)
})

/** As if the family had written to this address today. */
async function spendAllBut(left: number, { stack, family }: Guest, to: string): Promise<void> {
  await using mongo = await openDatabase(stack, 'inbox')
  const _id = `recipient/${family.workspaceId}/${hashRecipient(to)}`
  const spent = Array.from({ length: LIMIT - left }, (_, nth) => ({ mailId: `earlier ${nth}`, at: new Date() }))
  const expiresAt = new Date(Date.now() + 86_400_000)
  await mongo
    .db()
    .collection<{ _id: string }>('mail_allowances')
    .insertOne({ _id, ...{ spent, expiresAt } })
}

/** The message about the next version, which the calendar leads to. */
async function findNewer({ owner }: World, { summary }: Invited): Promise<string> {
  const list = await owner.get('/appointments')
  const { text } = await readUntil(
    () => owner.get(pathOf(list.text, summary)),
    (page) => /before the invitation changed/.test(page.text),
  )
  return /href="(\/inbox\/[^"]+)">Open the message/.exec(text)?.[1] ?? ''
}

test('an answer about one date of a series names that date', async (t) => {
  const { sink, owner } = t.context
  const at = inDays(7)
  const { path, organizer } = await invite(t.context, {
    start: basic(new Date(at.getTime() + 3_600_000)),
    more: [`RECURRENCE-ID:${basic(at)}`, `ATTENDEE:MAILTO:${ROSA}`, 'ATTENDEE;CUTYPE=ROOM:mailto:room@clinic.example'],
  })
  await send(owner, path, await openAnswer(owner, path, 'no'))
  const { text, partstat } = readAnswer((await sink.waitFor(organizer))[0]?.raw ?? '')
  t.regex(text, new RegExp(`\r\nRECURRENCE-ID:${basic(at)}\r\n`))
  t.is(partstat, 'DECLINED')
})

test('of several invited addresses the one that the mail was sent to answers, else a member chooses', async (t) => {
  const { sink, owner } = t.context
  const more = [`ATTENDEE:mailto:${ROSA}`, 'ATTENDEE:mailto:Jorge@almeida.example']
  const sure = await invite(t.context, { more, to: 'jorge@ALMEIDA.example' })
  t.regex((await openAnswer(owner, sure.path, 'yes')).text, /You’re answering as <bdi>jorge@almeida\.example/)

  const { path, organizer } = await invite(t.context, { more })
  const form = await openAnswer(owner, path, 'yes')
  t.regex(form.text, /Who was invited\?/)
  for (const attendee of ['', 'someone@else.example']) {
    const refused = await send(owner, path, form, { attendee })
    t.is(refused.status, 422)
    t.regex(refused.text, /Choose who was invited/)
  }
  t.is((await send(owner, path, form, { attendee: 'jorge@almeida.example' })).status, 303)
  t.is(readAnswer((await sink.waitFor(organizer))[0]?.raw ?? '').attendee, 'mailto:jorge@almeida.example')
})

test('nothing offers to answer ourselves, what nobody asks, what is over or canceled, or what invites nobody', async (t) => {
  const { f, owner, sink } = t.context
  const invited = `ATTENDEE:mailto:${ROSA}`
  const own = f.family.lovedOnes[1]?.inboxAddress ?? ''
  for (const words of [
    { organizer: 'care@family-inbox.test' },
    { organizer: own },
    { organizer: own.replace('@', '+x@').toUpperCase() },
    { organizer: 'Care+visit@family-inbox.test' },
    { organizer: 'nobody@family-inbox.test' },
    { organizer: 'not an address' },
    { organizer: 'a@clinic.example,b@clinic.example' },
    { method: 'PUBLISH' },
    { method: 'CANCEL' },
    { start: basic(inDays(-2)) },
    { more: [] },
    { more: ['ATTENDEE:mailto:desk@clinic.example'], organizer: 'desk@clinic.example' },
  ]) {
    const { path } = await invite(t.context, { more: [invited], ...words })
    const page = await owner.get(path)
    t.regex(page.text, /class="invitation/)
    t.notRegex(page.text, /\/answer\?/, JSON.stringify(words))
  }
  const { path } = await invite(t.context)
  const form = await openAnswer(owner, path, 'yes')
  const request = 'f'.repeat(32)
  const ours = ['care@family-inbox.test', own.toLowerCase()]
  t.is((await send(owner, path, form, { request })).status, 303)
  await untilQuiet(t.context)
  t.deepEqual(
    sink.mails.filter(({ to }) => to.some((one) => ours.includes(one.toLowerCase().replace('+x@', '@')))),
    [],
  )
})

test('viewers, other families and stopped recipients: nothing is mailed', async (t) => {
  const { f, sink, owner, viewer } = t.context
  const { path, organizer } = await invite(t.context)
  t.notRegex((await viewer.get(path)).text, /\/answer\?/)
  const form = await openAnswer(owner, path, 'yes')
  const stranger = await signIn(f, sink, (await f.another()).people.owner)
  t.is((await send(viewer, path, form)).status, 403)
  t.is((await send(stranger, path, form)).status, 404)
  await using mongo = await openDatabase(f.stack, 'inbox')
  const { workspaceId } = f.family
  const _id = `${workspaceId}/${hashRecipient(organizer)}` as never
  const stopped = { reason: 'complaint', stoppedAt: new Date(), expiresAt: new Date(Date.now() + 86_400_000) }
  await mongo
    .db()
    .collection('stopped_recipients')
    .insertOne({ _id, workspaceId, ...stopped })
  const refused = await send(owner, path, form)
  t.is(refused.status, 422)
  t.regex(refused.text, /asked for no more mail from your family/)
  await untilQuiet(t.context)
  t.is(sink.mails.filter(({ to }) => to.includes(organizer)).length, 0)
})

test('no assistant can answer, whatever it may write', async (t) => {
  const { f, sink, owner } = t.context
  const { path, organizer } = await invite(t.context)
  const { request: requestId = '', attendee = '' } = fieldsOf(await openAnswer(owner, path, 'yes'))
  const [, , lovedOneId = '', messageId = ''] = path.split('/')
  const { privateKeys, publicKeys } = await identityKeys(f.stack.dataDir)
  const auth = await createIdentity(privateKeys.auth, publicKeys)
  await using mongo = await openDatabase(f.stack, 'care-circle')
  const { workspaceId } = f.family
  const row = await mongo.db().collection('members').findOne({ workspaceId, email: f.family.people.owner })
  const personId = String(row?.personId)
  const token = await auth.principalToken({ personId, workspaceId, credentialId: 'key_1' }, 'gateway')
  const gateway = await createIdentity(privateKeys.gateway, publicKeys)
  const inbox = dialPatiently(InboxServiceService, f.stack.addresses.inbox ?? '', gateway)
  const request = { lovedOneId, messageId, requestId, attendee, coming: true, turn: 0 }
  const refused = await t.throwsAsync<StatusError>(inbox.answerCalendarRequest(request, { token }) as Promise<unknown>)
  t.is(refused?.status, 'PERMISSION_DENIED')
  t.regex(refused?.message ?? '', /Only a member of the family/)
  inbox.close()
  await untilQuiet(t.context)
  t.is(sink.mails.filter(({ to }) => to.includes(organizer)).length, 0)
})

test('an answer is mailed once when inbox is killed before it is queued, and the form is sent again', async (t) => {
  await using f = await joinFamily('mortal')
  const { sink } = f
  const owner = await signIn(f, sink, f.family.people.owner)
  const { path, organizer } = await invite({ f, owner })
  const form = await openAnswer(owner, path, 'yes')
  await f.stack.pause('nats-server')
  t.is((await send(owner, path, form)).status, 303)
  f.stack.kill('inbox')
  f.stack.resume('nats-server')
  await f.stack.waitReady()
  await readUntil(
    () => send(owner, path, form),
    ({ status }) => status === 303,
  )
  await sink.waitFor(organizer, 1, 60_000)
  await untilQuiet({ f })
  t.is((await sink.waitFor(organizer)).length, 1)
})
