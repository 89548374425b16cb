import { setTimeout as sleep } from 'node:timers/promises'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import anyTest, { type TestFn } from 'ava'
import { until } from '../_wait.ts'
import { type Circle, invitationFor, type Person, startCircle, statusOf, tokenOf, untilAnswered } from './_circle.ts'

const ROUNDS = 3

const test = (anyTest as TestFn<Circle<Stack>>).serial

test.before(async (t) => {
  t.context = await startCircle()
})
test.after.always((t) => t.context?.[Symbol.asyncDispose]())

test('while the mail queue is down an invitation is stored in two seconds; its mail is sent once, even after a kill', async (t) => {
  const { workspace, person, careCircle, mailsTo, rows, stack, secondReplica } = t.context
  const { owner, viewer } = await workspace()
  const { email } = await person()
  const words = invitationFor(email, { idempotencyKey: 'night' })
  await stack.pause('nats-server')
  const startedAt = Date.now()
  const first = await careCircle.inviteMember(words, { token: owner.token })
  t.true(Date.now() - startedAt < 2500)
  t.is(await statusOf(careCircle.listMembers({}, { token: viewer.token })), 'OK', 'who is a member is answered')
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
  const { owner } = await workspace()
  const { email, signedIn } = await person()
  const { invitationId } = await careCircle.inviteMember(invitationFor(email), { token: owner.token })
  const resend = () => careCircle.resendInvitation({ invitationId }, { token: owner.token })
  await stack.pause('nats-server')
  for (const again of [resend, resend]) t.is(await statusOf(again()), 'OK')
  stack.resume('nats-server')
  await until(async () => (await rows('invitations').findOne({ email }))?.mailDueAt === undefined)
  const mails = await mailsTo(email)
  t.deepEqual(
    mails.map(({ id }) => id),
    [`${invitationId}-1`, `${invitationId}-2`],
  )
  const newLink = careCircle.getInvitation({ token: tokenOf(mails[1]) }, { token: signedIn })
  t.is(await statusOf(newLink), 'OK')
})

test('care-circle starts without the mail queue and mails once it is up', async (t) => {
  const { workspace, person, careCircle, mailsTo, rows, stack } = t.context
  const { owner } = await workspace()
  const { email } = await person()
  await stack.pause('nats-server')
  stack.kill('care-circle')
  const { members } = await untilAnswered(() => careCircle.listMembers({}, { token: owner.token }))
  t.is(members.length, 3)
  const first = await careCircle.inviteMember(invitationFor(email), { token: owner.token })
  stack.resume('nats-server')
  const again = await untilAnswered(() => careCircle.inviteMember(invitationFor(email), { token: owner.token }))
  t.is(again.invitationId, first.invitationId)
  await until(async () => (await rows('invitations').findOne({ email }))?.mailDueAt === undefined)
  const late = await untilAnswered(() => careCircle.inviteMember(invitationFor(email), { token: owner.token }))
  t.is(late.invitationId, first.invitationId, 'a retry without a key is the same invitation')
  t.is((await mailsTo(email)).length, 1)
})

test('with care-circle killed repeatedly, each invitation is stored and mailed once', async (t) => {
  const { workspace, person, careCircle, mailsTo, rows, stack } = t.context
  const { owner } = await workspace()
  const people = await Promise.all(Array.from({ length: ROUNDS * 8 }, () => person()))
  const answered = new Map<string, string>()
  const deathsBefore = stack.deaths('care-circle')
  const invite = async ({ email }: Person) => {
    const words = invitationFor(email, { idempotencyKey: email })
    const { invitationId } = await untilAnswered(() => careCircle.inviteMember(words, { token: owner.token }))
    answered.set(email, invitationId)
  }
  for (let round = 0; round < ROUNDS; round++) {
    const inviting = people.slice(round * 8, (round + 1) * 8).map(invite)
    await sleep(Math.random() * 80)
    stack.kill('care-circle')
    await Promise.all(inviting)
  }
  t.is(stack.deaths('care-circle') - deathsBefore, ROUNDS)
  await until(async () => (await rows('invitations').countDocuments({ mailDueAt: { $exists: true } })) === 0)
  for (const { email } of people) {
    t.is(await rows('invitations').countDocuments({ email }), 1)
    t.deepEqual(
      (await mailsTo(email)).map(({ id }) => id),
      [`${answered.get(email)}-1`],
    )
  }
})
