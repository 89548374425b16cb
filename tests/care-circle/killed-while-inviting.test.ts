import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { untilAnswered } from '../_outcome.ts'
import { createRandom } from '../_random.ts'
import { until } from '../_wait.ts'
import { invitationFor, type Person, startCircle } from './_circle.ts'

const ROUNDS = 3

test('with care-circle killed repeatedly, each invitation is stored and mailed once', async (t) => {
  await using circle = await startCircle()
  const { workspace, person, careCircle, mailsTo, rows, stack } = circle
  const { owner } = await untilAnswered(workspace)
  const people = await Promise.all(Array.from({ length: ROUNDS * 8 }, () => person()))
  const random = createRandom()
  t.log(`TEST_SEED=${random.seed}`)
  const answered = new Map<string, string>()
  const deathsBefore = stack.deaths('care-circle')
  const invite = async ({ email }: Person) => {
    const words = invitationFor(email, { idempotencyKey: email })
    const { invitationId } = await untilAnswered(() => careCircle.inviteMember(words, { token: owner.token }))
    answered.set(email, invitationId)
  }
  for (let round = 0; round < ROUNDS; round++) {
    await stack.waitReady() // what has not started again cannot be killed
    const inviting = people.slice(round * 8, (round + 1) * 8).map(invite)
    await sleep(random.between(0, 80))
    stack.kill('care-circle')
    await until(async () => stack.deaths('care-circle') - deathsBefore === round + 1)
    await Promise.all(inviting)
  }
  await until(async () => (await rows('invitations').countDocuments({ mailDueAt: { $exists: true } })) === 0)
  for (const { email } of people) {
    t.is(await rows('invitations').countDocuments({ email }), 1)
    t.deepEqual(
      (await mailsTo(email)).map(({ id }) => id),
      [`${answered.get(email)}-1`],
    )
  }
})
