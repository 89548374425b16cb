import { randomBytes } from 'node:crypto'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { crashLine } from '@family-inbox/service-kit/lifecycle/crash-point'
import { HOUR_MS } from '@family-inbox/service-kit/time/days'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import type { Document } from 'mongodb'
import { formatAnswerAddress } from '../../services/inbox/src/models/answer-address.ts'
import { countLines } from '../_count-lines.ts'
import { openMailer } from '../_mailer.ts'
import { untilHandled } from '../_streams.ts'
import { signIn, Visitor } from '../_visitor.ts'
import { readUntil, until } from '../_wait.ts'
import { invitation, newUid } from '../appointments/_invitations.ts'
import { addressIdOf, write } from '../inbox/_answers.ts'
import { PASSWORD } from '../inbox/_dovecot.ts'
import { text } from '../mail-corpus/build-mail.ts'
import {
  arm,
  FROM_CLINIC,
  insist,
  mailsTo,
  mailsWith,
  newEmail,
  openCrashWorld,
  POINTS,
  press,
  rows,
  stateOf,
  untilFollowedUp,
  untilMailed,
  type Victim,
  type World,
} from './_crash-world.ts'

const test = (anyTest as TestFn<World>).serial

test.before(async (t) => {
  t.context = await openCrashWorld()
})
test.after.always((t) => t.context?.[Symbol.asyncDispose]?.())

test('wherever inbox dies, mail, replies and appointments are stored once, and a reply is mailed once or marked unknown', async (t) => {
  const { w, owner, cautiousKey, messageId } = t.context
  const address = w.family.lovedOnes[0]?.inboxAddress ?? ''
  const reached = arm(t.context, 'inbox', [
    'message-stored',
    'events-published',
    'mail-claimed',
    'mail-answered',
    'mail-marked',
    'reply-stored',
    'reply-queued',
    'delivery-recorded',
    'proposal-stored',
    'reply-approved',
    'proposal-marked',
    'opening-stored',
    'copy-queued',
    'sender-blocked',
    'message-kept-out',
    'moved-aside',
    'moved-back',
    'message-moved',
    'purge-decided',
    'mail-half-purged',
    'only-senders-set',
    'answer-recorded',
    ...(t.context.dovecot ? (['fetched-mail-handled', 'mailbox-advanced'] as const) : []),
    'reply-deleted',
    'reply-files-purged',
  ])
  const subject = `Letter ${randomText(8)}`
  await openMailer(w.stack).deliver(address, text('The only one.', { ...FROM_CLINIC, Subject: subject }))
  await reached('message-stored')
  await openMailer(w.stack).deliver(address, invitation({ uid: newUid() }))
  await reached('events-published')

  const reply = async (key: string, body: string) =>
    insist(t.context, key, 'reply_to_inbox_message', { messageId, body, idempotencyKey: body })
  const replies: { id: string; body: string; end: [state: string, mails: number] }[] = []
  for (const [points, ...end] of [
    [['mail-claimed'], 'unknown', 0],
    [['mail-answered'], 'unknown', 1],
    [['mail-marked'], 'sent', 1],
    [['reply-stored', 'reply-queued', 'delivery-recorded'], 'sent', 1],
  ] as const) {
    const body = `Once after ${points}`
    const { replyId: id } = await reply(w.family.keys.owner, body)
    replies.push({ id, body, end: [...end] })
    for (const point of points) await reached(point)
    // Otherwise the next crash may hit it while it is sent, which makes it `unknown`.
    if (end[0] === 'sent')
      await readUntil(
        () => stateOf(t.context, id),
        (state) => state === 'sent',
      )
  }

  const body = 'Once, if approved'
  const { proposalId } = await reply(cautiousKey, body)
  await reached('proposal-stored')
  t.is((await reply(cautiousKey, body)).proposalId, proposalId)
  await press(owner, `/approvals/replies/${proposalId}`, { body, decision: 'send' })
  for (const point of ['reply-approved', 'proposal-marked'] as const) await reached(point)
  const { replyId: approvedId } = await reply(cautiousKey, body)

  const opening = await writeWithCopy(t.context, reached)

  await press(owner, '/settings/blocked-senders', { sender: 'offers@shop.example' })
  await reached('sender-blocked')
  const [offer, moved] = [`Offer ${randomText(8)}`, { workspaceId: w.family.workspaceId, 'message.subject': subject }]
  await openMailer(w.stack).deliver(address, text('Buy.', { From: 'offers@shop.example', Subject: offer }))
  await reached('message-kept-out')
  const path = `${w.lovedOneId}/${(await rows(t.context, 'inbox', 'messages').findOne({ subject }))?.conversationId}`
  const aside = rows(t.context, 'inbox', 'messages_aside')
  await owner.submit(`/inbox/${path}/move`, { to: 'deleted' })
  await reached('moved-aside')
  await until(async () => (await aside.countDocuments({ ...moved, moving: null })) === 1)
  t.is(await rows(t.context, 'inbox', 'messages').countDocuments({ subject }), 0)
  await owner.submit(`/deleted/${path}/restore`, {})
  await reached('moved-back')
  await until(async () => (await aside.countDocuments(moved)) === 0)
  await moveToSomebodyElse(t.context, path, subject)
  await reached('message-moved')
  const deleted = await deleteLetter(t.context, reached)
  const second = w.family.lovedOnes[1]?.id ?? ''
  const only = { for: second, on: '1', [`senders-${second}`]: 'desk@clinic.example' }
  await press(owner, '/settings/blocked-senders/only', only)
  await reached('only-senders-set')
  const answered = await answerByMail(t.context)
  await reached('answer-recorded')
  await answered.isTaken
  const fetched = await fetchLetters(t.context, reached)

  const byMail = await rows(t.context, 'inbox', 'replies').findOne({ body: answered.body })
  const ids = [...replies.map(({ id }) => id), approvedId, opening.id, byMail?._id ?? '']
  await untilMailed(t.context, [...ids, opening.copyId])
  for (const { id, body, end } of replies)
    t.deepEqual([await stateOf(t.context, id), mailsWith(t.context, body)], end, body)
  // The second crash may hit it while it is sent: then nobody knows.
  const approved = [await stateOf(t.context, approvedId), mailsWith(t.context, body)].join(' ')
  t.true(['sent 1', 'unknown 0', 'unknown 1'].includes(approved), approved)
  t.is(await rows(t.context, 'inbox', 'replies').countDocuments({ workspaceId: w.family.workspaceId }), ids.length)
  t.is(await rows(t.context, 'inbox', 'messages').countDocuments({ subject }), 1)
  t.is(await rows(t.context, 'inbox', 'messages').countDocuments({ subject: opening.subject }), 1)
  for (const outcome of await opening.outcomes())
    t.true(['sent 1', 'unknown 0', 'unknown 1'].includes(outcome), outcome)
  t.is(mailsWith(t.context, answered.body), 1)
  t.is(await rows(t.context, 'inbox', 'messages').countDocuments({ subject: offer }), 0)
  t.is(await aside.countDocuments({ 'message.subject': offer }), 1)
  const filter = await rows(t.context, 'inbox', 'sender_filters').findOne({ _id: w.family.workspaceId as never })
  t.deepEqual([filter?.blocked.length, filter?.only.length], [1, 1], 'each is listed once')
  for (const name of ['messages', 'messages_aside', 'notes', 'index_entries'])
    t.is(await rows(t.context, 'inbox', name).countDocuments(deleted), 0, name)
  for (const one of fetched) t.is(await rows(t.context, 'inbox', 'messages').countDocuments({ subject: one }), 1)
  await deleteReply(t.context, replies.at(-1)?.id ?? '', reached)
  await untilFollowedUp(t.context)
  t.is(await rows(t.context, 'care-circle', 'appointments').countDocuments({ workspaceId: w.family.workspaceId }), 1)
})

/** A new message with a copy to somebody else. @returns ids of both mails, and what finds how each ended */
async function writeWithCopy(world: World, reached: (point: 'opening-stored' | 'copy-queued') => Promise<void>) {
  const { w, owner, sink } = world
  const subject = `Refill ${randomText(8)}`
  const { workspaceId } = w.family
  const nurse = { _id: `${workspaceId}/nurse@clinic.example`, workspaceId, address: 'nurse@clinic.example', name: '' }
  await rows(world, 'inbox', 'correspondents').insertOne({ ...nurse, lastAt: new Date() })
  await press(owner, '/inbox/write', {
    key: randomText(20),
    for: w.lovedOneId,
    to: 'desk@clinic.example',
    cc: nurse.address,
    subject,
    body: 'Could you renew it?',
  })
  for (const point of ['opening-stored', 'copy-queued'] as const) await reached(point)
  const id: string = (await rows(world, 'inbox', 'replies').findOne({ 'opening.subject': subject }))?._id ?? ''
  const copyId = `${id}-cc1`
  const outcome = async (mail: string, to: string) => {
    const count = sink.mails.filter((one) => one.to.includes(to) && one.headers.includes(subject)).length
    return `${await stateOf(world, mail)} ${count}`
  }
  const outcomes = () => Promise.all([outcome(id, 'desk@clinic.example'), outcome(copyId, nurse.address)])
  return { subject, id, copyId, outcomes }
}

/** Deletes a reply that was sent, and then for good. */
async function deleteReply(
  world: World,
  reply: string,
  reached: (point: 'reply-deleted' | 'reply-files-purged') => Promise<void>,
): Promise<void> {
  const replies = rows(world, 'inbox', 'replies')
  await press(world.owner, `/inbox/${world.w.lovedOneId}/${world.messageId}/replies/delete`, { reply })
  await reached('reply-deleted')
  await until(async () => (await replies.countDocuments({ _id: reply as never, deletedAt: { $exists: true } })) === 1)
  await replies.updateOne({ _id: reply as never }, { $set: { purgeAt: new Date() } })
  await reached('reply-files-purged')
  await until(async () => (await replies.countDocuments({ _id: reply as never })) === 0)
}

/** Inbox dies as soon as it has moved. The second press finds it there. */
async function moveToSomebodyElse(world: World, path: string, subject: string): Promise<void> {
  const to = world.w.family.lovedOnes[1]?.id ?? ''
  await press(world.owner, `/inbox/${path}/somebody-else`, { to })
  const of = (lovedOneId: string) => rows(world, 'inbox', 'messages').countDocuments({ subject, lovedOneId })
  await until(async () => (await of(to)) === 1 && (await of(world.w.lovedOneId)) === 0)
}

/** Deletes a letter with a note for good. @returns what finds rows of it */
async function deleteLetter(
  world: World,
  reached: (point: 'purge-decided' | 'mail-half-purged') => Promise<void>,
): Promise<{ $or: Document[] }> {
  const { w, owner } = world
  const subject = `Letter ${randomText(8)}`
  const sent = text('Not for long.', { ...FROM_CLINIC, Subject: subject })
  await openMailer(w.stack).deliver(w.family.lovedOnes[0]?.inboxAddress ?? '', sent)
  const _id = (await rows(world, 'inbox', 'messages').findOne({ subject }))?._id ?? ''
  const path = `${w.lovedOneId}/${_id.split('/').at(-1)}`
  await press(owner, `/inbox/${path}/notes`, { note: 'Not for long either', key: subject })
  await press(owner, `/inbox/${path}/move`, { to: 'deleted-alone' })
  await press(owner, `/deleted/${path}/delete`, {})
  for (const point of ['purge-decided', 'mail-half-purged'] as const) await reached(point)
  await until(async () => (await rows(world, 'inbox', 'messages_aside').countDocuments({ _id })) === 0)
  return { $or: [{ _id }, { messageRowId: _id }] }
}

/** The owner answers a notification by mail. Their server tries until it is taken. */
async function answerByMail({ w, ...world }: World): Promise<{ body: string; isTaken: Promise<void> }> {
  const { workspaceId, people } = w.family
  const owner = await rows({ ...world, w }, 'care-circle', 'members').findOne({ workspaceId, email: people.owner })
  const to = formatAnswerAddress(randomBytes(16).toString('hex'), w.stack)
  await rows({ ...world, w }, 'inbox', 'answer_addresses').insertOne({
    _id: addressIdOf(to),
    workspaceId,
    lovedOneId: w.lovedOneId,
    personId: owner?.personId,
    messageRowId: `${workspaceId}/${w.lovedOneId}/${world.messageId}`,
    createdAt: new Date(),
  })
  const body = `Once by mail ${randomText(8)}`
  const raw = await write({ from: people.owner, to, text: body })
  return { body, isTaken: openMailer(w.stack).deliver(to, raw) }
}

/** @returns the subjects of the letters that came from a mailbox */
async function fetchLetters(
  world: World,
  reached: (point: 'fetched-mail-handled' | 'mailbox-advanced') => Promise<void>,
): Promise<string[]> {
  const { dovecot, owner, w } = world
  if (dovecot === undefined) return []
  const account = dovecot.account('rosa')
  await account.deliver(text('Makes the folder.', FROM_CLINIC), 'Done')
  const server = { with: 'other', host: dovecot.host, port: `${dovecot.tlsPort}`, encryption: 'tls', folder: 'INBOX' }
  const wanted = { action: 'move', moveTo: 'Done', withEarlier: '1', for: w.lovedOneId }
  const [first, second] = [`Fetched ${randomText(8)}`, `Fetched ${randomText(8)}`]
  await account.deliver(text('One.', { ...FROM_CLINIC, Subject: first }))
  const form = { ...server, ...wanted, userName: 'rosa', password: PASSWORD }
  const mailboxes = rows(world, 'inbox', 'mailboxes')
  // The first try may be stored without an answer. The next one is refused then, and further ones are too many.
  await until(async () => {
    const { status } = await owner.submit('/settings/mailboxes/add', form)
    return status === 303 || (await mailboxes.countDocuments({ workspaceId: w.family.workspaceId })) > 0
  })
  await reached('fetched-mail-handled')
  await account.deliver(text('Two.', { ...FROM_CLINIC, Subject: second }))
  await reached('mailbox-advanced')
  await until(async () => (await account.count('Done')).all === 3)
  return [first, second]
}

test('wherever care-circle dies, an invitation is stored and mailed once, and an event and an appointment are there once', async (t) => {
  const { w, owner, cautiousKey } = t.context
  const { workspaceId, keys, lovedOnes } = w.family
  const agency = await w.addAgency()
  const subject = await w.link(agency)
  const reached = arm(t.context, 'care-circle', POINTS['care-circle'])
  const invite = (key: string, email: string) =>
    insist(t.context, key, 'invite_family_member', { email, role: 'viewer', idempotencyKey: email })

  const [email, approved] = [newEmail(), newEmail()]
  const { invitationId } = await invite(keys.owner, email)
  for (const point of ['invitation-stored', 'invitation-queued'] as const) await reached(point)
  const { proposalId } = await invite(cautiousKey, approved)
  await reached('invitation-proposal-announced')
  await press(owner, `/approvals/invitations/${proposalId}`, { message: '', decision: 'send' })
  for (const point of ['invitation-approved', 'invitation-proposal-marked'] as const) await reached(point)

  const { json, status } = await agency.post(agency.event(subject))
  t.is(status, 202)
  await reached('event-stored')
  const before = await rows(t.context, 'care-circle', 'appointments').countDocuments({ workspaceId })
  await openMailer(w.stack).deliver(lovedOnes[1]?.inboxAddress ?? '', invitation({ uid: newUid() }))
  await reached('appointment-stored')
  await changeTheCircle(t, reached)

  await untilMailed(t.context, [`${invitationId}-1`, `${proposalId.replace('invp_', 'inv_')}-1`])
  for (const to of [email, approved]) {
    t.is(await rows(t.context, 'care-circle', 'invitations').countDocuments({ email: to }), 1)
    t.is(mailsTo(t.context, to), 1)
  }
  await untilHandled(w.stack, 'CARE_EVENTS')
  await untilFollowedUp(t.context)
  t.deepEqual(await w.timelineIds(), [json.event_id])
  t.is(await rows(t.context, 'care-circle', 'appointments').countDocuments({ workspaceId }), before + 1)
})

/** What members do with one press, which they repeat when it is not answered. */
async function changeTheCircle(
  t: ExecutionContext<World>,
  reached: (point: (typeof POINTS)['care-circle'][number]) => Promise<void>,
): Promise<void> {
  const { w, owner, sink } = t.context
  const { workspaceId } = w.family
  const lovedOneId = w.family.lovedOnes[0]?.id ?? ''
  await press(owner, '/care-circle/passkeys', { asked: 'yes' })
  await reached('passkeys-asked')
  const family = await rows(t.context, 'care-circle', 'workspaces').findOne({ _id: workspaceId })
  t.true(family?.passkeysAsked)

  const toDo = { workspaceId, text: `Call ${randomText(8)}` }
  await press(owner, '/to-dos/new', { text: toDo.text, request: toDo.text })
  await reached('to-do-stored')
  const added = await rows(t.context, 'care-circle', 'to_dos').find(toDo).toArray()
  t.is(added.length, 1)
  await press(owner, `/to-dos/${added[0]?._id}/status`, { act: 'take' })
  await reached('to-do-status-changed')
  t.is((await rows(t.context, 'care-circle', 'to_dos').findOne(toDo))?.status, 'taken')

  const path = `/emergency-sheets/${lovedOneId}`
  await press(owner, `${path}/change`, { typed: 'yes', version: '0', allergies: 'Penicillin' })
  await reached('emergency-sheet-stored')
  t.is((await rows(t.context, 'care-circle', 'emergency_sheets').findOne({ _id: lovedOneId }))?.version, 1)
  await press(owner, `${path}/links`, { hours: '24', request: lovedOneId })
  for (const point of ['emergency-link-stored', 'emergency-link-mailed'] as const) await reached(point)
  const links = rows(t.context, 'care-circle', 'emergency_links')
  await until(async () => (await links.countDocuments({ workspaceId, mailDueAt: { $exists: true } })) === 0)
  t.is(await links.countDocuments({ workspaceId }), 1)
  await untilHandled(w.stack, 'OUTGOING_MAIL')
  t.is(sink.mails.filter(({ headers }) => headers.includes('Subject: A link to the emergency sheet')).length, 1)
}

test('wherever pipe dies, an event that was answered 202 is on the timeline once', async (t) => {
  const { w } = t.context
  const agency = await w.addAgency()
  const subject = await w.link(agency, { lovedOneId: w.family.lovedOnes[1]?.id ?? '' })
  const reached = arm(t.context, 'pipe', POINTS.pipe)
  const event = agency.event(subject)
  const { status, json } = await agency.post(event)
  t.is(status, 202)
  for (const point of POINTS.pipe) await reached(point)
  const again = await agency.post(event)
  t.is(again.json.event_id, json.event_id)
  await untilHandled(w.stack, 'CARE_EVENTS')
  t.deepEqual(await w.timelineIds({ lovedOneId: w.family.lovedOnes[1]?.id }), [json.event_id])
  t.is(await rows(t.context, 'pipe', 'events').countDocuments({ _id: json.event_id }), 1)
})

test('wherever auth dies, each code is mailed at most once, the answered one works, and a call and an opened message are recorded once', async (t) => {
  const { w, sink, owner, messageId } = t.context
  const reached = arm(t.context, 'auth', POINTS.auth)
  const email = newEmail()
  const visitor = new Visitor(w)
  const asked = await press(visitor, '/sign-in', { email, return_to: '/' })
  for (const point of ['code-stored', 'code-queued'] as const) await reached(point)
  await untilHandled(w.stack, 'OUTGOING_MAIL')
  const codes = sink.mails.filter(({ to }) => to.includes(email)).map(({ raw }) => /\b\d{4} \d{4}\b/.exec(raw)?.[0])
  t.is(new Set(codes).size, codes.length, 'each is mailed once')
  // The first was stored and never mailed; the second was mailed, but its request had no answer. The last has both.
  t.true(codes.length >= 2 && codes.length < asked, `${codes.length} codes for ${asked} requests`)
  const { status } = await visitor.submit('/sign-in/code', { code: codes.at(-1) ?? '' })
  t.is(status, 303)

  const entries = rows(t.context, 'auth', 'audit_entries')
  const before = await entries.countDocuments({ tool: 'list_loved_ones' })
  let calls = 0
  await insist(t.context, w.family.keys.viewer, 'list_loved_ones', {}, () => {
    calls += 1
  })
  await reached('call-recorded')
  const recorded = (await entries.countDocuments({ tool: 'list_loved_ones' })) - before
  // The first was recorded, but had no answer.
  t.true(recorded >= 2 && recorded <= calls, `${recorded} records of ${calls} calls`)
  await acceptOnlyPasskeys(t)
  await reached('passkey-only-stored')

  const begun = Date.now()
  const open = () => owner.get(`/inbox/${w.lovedOneId}/${messageId}`)
  await readUntil(open, ({ status }) => status === 200)
  await reached('act-recorded')
  await readUntil(open, ({ status }) => status === 200)
  const acts = { tool: 'open_message', 'message.messageId': messageId, startedAt: { $gte: new Date(begun - HOUR_MS) } }
  const hours = new Set((await entries.find(acts).toArray()).map(({ startedAt }) => hourOf(startedAt)))
  t.true(hours.has(hourOf(new Date())) || hours.has(hourOf(new Date(begun))), 'it is not lost')
  t.is(await entries.countDocuments(acts), hours.size, 'once an hour')
})

/** Turns off codes by email: its own session stays, no other one does, and one mail says so. */
async function acceptOnlyPasskeys(t: ExecutionContext<World>): Promise<void> {
  const { w, sink } = t.context
  const { coordinator: email } = w.family.people
  const [visitor, other] = [await signIn(w, sink, email), await signIn(w, sink, email)]
  const person = await rows(t.context, 'auth', 'people').findOne({ email })
  const passkey = {
    personId: person?._id,
    name: 'Phone',
    publicKey: '',
    counter: 0,
    transports: [],
    createdAt: new Date(),
  }
  const two = [randomText(8), randomText(8)].map((id) => ({ _id: `pky_${id}`, credentialId: id, ...passkey }))
  await rows(t.context, 'auth', 'passkeys').insertMany(two)
  await press(visitor, '/settings/passkeys/only', { only: 'yes' })
  t.is((await visitor.get('/settings/passkeys')).status, 200)
  t.is((await other.get('/settings/passkeys')).status, 303)
  await untilHandled(w.stack, 'OUTGOING_MAIL')
  const told = sink.mails.filter(({ headers }) =>
    headers.includes('Subject: Your account signs in with a passkey only'),
  )
  t.is(told.length, 1)
}

const hourOf = (at: Date) => Math.floor(at.getTime() / HOUR_MS)

test('each service died at each of its points, once', (t) => {
  const { stack } = t.context.w
  for (const [service, points] of Object.entries(POINTS) as [Victim, readonly string[]][]) {
    for (const point of points) t.is(countLines(stack.logs(service), crashLine(point)), 1, point)
    // One more, to arm the first.
    t.is(stack.deaths(service), points.length + 1, service)
  }
})
