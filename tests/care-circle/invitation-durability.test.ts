import type { Stack } from '@family-inbox/local-stack/run-stack'
import anyTest, { type TestFn } from 'ava'
import { statusOf, untilAnswered } from '../_outcome.ts'
import { until } from '../_wait.ts'
import { type Circle, invitationFor, startCircle, tokenOf } from './_circle.ts'

const test = (anyTest as TestFn<Circle<Stack>>).serial

test.before(async (t) => {
  t.context = await startCircle()
})
test.after.always((t) => t.context?.[Symbol.asyncDispose]())

test('while the mail queue is down an invitation is stored; its mail is sent once, even after a kill', async (t) => {
  const { workspace, person, careCircle, mailsTo, rows, stack, secondReplica } = t.context
  const { owner, viewer } = await untilAnswered(workspace)
  const { email } = await person()
  const words = invitationFor(email, { idempotencyKey: 'night' })
  await stack.pause('nats-server')
  // A busy machine may answer that it takes too long; the same request is then the same invitation.
  const first = await untilAnswered(() => careCircle.inviteMember(words, { token: owner.token }))
  const listed = untilAnswered(() => careCircle.listMembers({}, { token: viewer.token }))
  t.is(await statusOf(listed), 'OK', 'who is a member is answered')
  const stored = await rows('invitations').findOne({ email })
  t.is(stored?._id, first.invitationId)
  t.truthy(stored?.mailDueAt, 'the invitation waits for its mail')
  stack.kill('care-circle')
  stack.resume('nats-server')
  await secondReplica()
  await until(async () => (await mailsTo(email)).length > 0)
  await until(async () => (await rows('invitations').findOne({ email }))?.mailDueAt === undefined)
  const again = await untilAnswered(() => careCircle.inviteMember(words, { token: owner.token }))
  t.is(again.invitationId, stored?._id)
  t.deepEqual(
    (await mailsTo(email)).map(({ id }) => id),
    [`${stored?._id}-1`],
  )
})

test('resending twice while the mail queue is down makes one more mail', async (t) => {
  const { workspace, person, careCircle, mailsTo, rows, stack } = t.context
  const { owner } = await untilAnswered(workspace)
  const { email, signedIn } = await person()
  const invite = () => careCircle.inviteMember(invitationFor(email), { token: owner.token })
  const { invitationId } = await untilAnswered(invite)
  const resend = () => careCircle.resendInvitation({ invitationId }, { token: owner.token })
  await stack.pause('nats-server')
  for (const again of [resend, resend]) t.is(await statusOf(untilAnswered(again)), 'OK')
  stack.resume('nats-server')
  await until(async () => (await rows('invitations').findOne({ email }))?.mailDueAt === undefined)
  const mails = await mailsTo(email)
  t.deepEqual(
    mails.map(({ id }) => id),
    [`${invitationId}-1`, `${invitationId}-2`],
  )
  const newLink = untilAnswered(() => careCircle.getInvitation({ token: tokenOf(mails[1]) }, { token: signedIn }))
  t.is(await statusOf(newLink), 'OK')
})

test('care-circle starts without the mail queue and mails once it is up', async (t) => {
  const { workspace, person, careCircle, mailsTo, rows, stack } = t.context
  const { owner } = await untilAnswered(workspace)
  const { email } = await person()
  await stack.pause('nats-server')
  stack.kill('care-circle')
  const { members } = await untilAnswered(() => careCircle.listMembers({}, { token: owner.token }))
  t.is(members.length, 3)
  const invite = () => careCircle.inviteMember(invitationFor(email), { token: owner.token })
  const first = await untilAnswered(invite)
  stack.resume('nats-server')
  const again = await untilAnswered(invite)
  t.is(again.invitationId, first.invitationId)
  await until(async () => (await rows('invitations').findOne({ email }))?.mailDueAt === undefined)
  const late = await untilAnswered(invite)
  t.is(late.invitationId, first.invitationId, 'a retry without a key is the same invitation')
  t.is((await mailsTo(email)).length, 1)
})
