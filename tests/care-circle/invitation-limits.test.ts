import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import { outcomeOf, statusOf, untilAnswered } from '../_outcome.ts'
import { type Circle, invitationFor, startCircle } from './_circle.ts'

const test = (anyTest as TestFn<Circle>).serial

const PER_DAY = 6

test.before(async (t) => {
  t.context = await startCircle({ env: { INVITATIONS_PER_DAY: `${PER_DAY}` } })
})
test.after.always((t) => t.context?.[Symbol.asyncDispose]())

const DAY_MS = 24 * 60 * 60 * 1000

test('a workspace’s daily limit of invitation mails is exact across two replicas', async (t) => {
  const { workspace, person, careCircle, secondReplica, mails } = t.context
  const { owner, coordinator } = await workspace()
  const before = (await mails()).length
  const replicas = [careCircle, await secondReplica()] as const
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const { email } = await person()
      const { token } = n % 4 < 2 ? owner : coordinator
      return outcomeOf(untilAnswered(() => replicas[n % 2 === 0 ? 0 : 1].inviteMember(invitationFor(email), { token })))
    }),
  )
  const refusals = outcomes.filter((outcome) => outcome instanceof StatusError)
  t.deepEqual([...new Set(refusals.map(({ status }) => status))], ['RESOURCE_EXHAUSTED'])
  t.true(refusals.every(({ detail }) => (detail.retryAfterSec ?? 0) > DAY_MS / 1000 - 60))
  t.is((await mails()).length - before, PER_DAY - 2, 'the coordinator and the viewer had one each')
})

test('after the reported wait the same call succeeds', async (t) => {
  const { workspace, person, careCircle, rows } = t.context
  const { owner, workspaceId } = await workspace()
  const { email } = await person()
  for (let n = 2; n < PER_DAY; n++)
    await careCircle.inviteMember(invitationFor((await person()).email), { token: owner.token })
  const invite = () =>
    outcomeOf(careCircle.inviteMember(invitationFor(email, { idempotencyKey: 'later' }), { token: owner.token }))
  t.like(await invite(), { status: 'RESOURCE_EXHAUSTED' })
  const letPass = (ms: number) => {
    const at = { $subtract: ['$$this.at', ms] }
    const spent = { $map: { input: '$spent', in: { mailId: '$$this.mailId', at } } }
    const allowances = [`workspace/${workspaceId}`, `person/${owner.personId}`]
    return rows('mail_allowances').updateMany({ _id: { $in: allowances } }, [{ $set: { spent } }])
  }
  await rows('invitations').updateMany({ workspaceId }, { $set: { state: 'canceled' } })
  const MINUTE_MS = 60_000
  await letPass(DAY_MS - 2 * MINUTE_MS)
  const refusal = await invite()
  const wait = refusal instanceof StatusError ? (refusal.detail.retryAfterSec ?? 0) : 0
  t.true(wait > 60 && wait <= 120, `${wait}`)
  await letPass((wait - 60) * 1000)
  t.like(await invite(), { status: 'RESOURCE_EXHAUSTED' })
  await letPass(MINUTE_MS)
  t.false((await invite()) instanceof StatusError)
})

test('an owner of several workspaces has one limit for all of them', async (t) => {
  const { person, careCircle } = t.context
  const founder = await person()
  const tokens: string[] = []
  for (const name of ['One', 'Two']) {
    const words = { name, ownerName: 'Ana', relationship: '' }
    const { workspaceId } = await careCircle.createWorkspace(words, { token: founder.signedIn })
    tokens.push(await founder.keyIn(workspaceId))
  }
  const statuses: string[] = []
  for (let n = 0; n < PER_DAY + 2; n++)
    statuses.push(
      await statusOf(careCircle.inviteMember(invitationFor((await person()).email), { token: tokens[n % 2] ?? '' })),
    )
  t.deepEqual(statuses, [...Array<string>(PER_DAY).fill('OK'), 'RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED'])
})

test('one address is not flooded by resending, or by canceling and inviting again', async (t) => {
  const { workspace, person, careCircle, mailsTo, rows } = t.context
  const { owner, workspaceId } = await workspace()
  const { email } = await person()
  const token = owner.token
  const handlers = () =>
    rows('mail_allowances').deleteMany({ _id: { $in: [`workspace/${workspaceId}`, `person/${owner.personId}`] } })
  for (let n = 0; n < 5; n++) {
    await handlers()
    const { invitationId } = await careCircle.inviteMember(invitationFor(email), { token })
    await careCircle.resendInvitation({ invitationId }, { token })
    if (n < 4) await careCircle.cancelInvitation({ invitationId }, { token })
    else t.is(await statusOf(careCircle.resendInvitation({ invitationId }, { token })), 'RESOURCE_EXHAUSTED')
  }
  await handlers()
  t.is((await mailsTo(email)).length, 10)
})

test('an invitation over the limit leaves nothing behind, and its key can be reused', async (t) => {
  const { workspace, person, careCircle, rows } = t.context
  const { owner, workspaceId } = await workspace()
  for (let n = 2; n < PER_DAY; n++)
    await careCircle.inviteMember(invitationFor((await person()).email), { token: owner.token })
  await rows('invitations').updateMany({ workspaceId }, { $set: { state: 'canceled' } })
  const words = invitationFor((await person()).email, { idempotencyKey: 'free' })
  t.is(await statusOf(careCircle.inviteMember(words, { token: owner.token })), 'RESOURCE_EXHAUSTED')
  t.is(await rows('invitations').countDocuments({ workspaceId, state: 'pending' }), 0)
  await rows('mail_allowances').deleteMany({})
  const { token } = await careCircle.inviteMember({ ...words, message: 'Another' }, { token: owner.token })
  t.not(token, '')
})

test('open invitations are limited, and the reported wait lasts until one expires', async (t) => {
  const { workspace, person, careCircle, rows } = t.context
  const { owner, workspaceId } = await workspace()
  for (let n = 2; n < PER_DAY; n++)
    await careCircle.inviteMember(invitationFor((await person()).email), { token: owner.token })
  await rows('mail_allowances').deleteMany({})
  for (let n = 0; n < 2; n++)
    await careCircle.inviteMember(invitationFor((await person()).email), { token: owner.token })
  await rows('mail_allowances').deleteMany({})
  const soonest = { workspaceId, state: 'pending' }
  await rows('invitations').updateOne(soonest, { $set: { expiresAt: new Date(Date.now() + 100_000) } })
  const refusal = await outcomeOf(
    careCircle.inviteMember(invitationFor((await person()).email), { token: owner.token }),
  )
  t.true(refusal instanceof StatusError && refusal.status === 'RESOURCE_EXHAUSTED')
  const wait = refusal instanceof StatusError ? (refusal.detail.retryAfterSec ?? 0) : 0
  t.true(wait > 90 && wait <= 100, `${wait}`)
})
