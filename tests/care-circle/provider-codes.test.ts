import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import { outcomeOf, statusOf } from '../_outcome.ts'
import { type CareCircle, type Circle, joinCircle } from './_circle.ts'

const test = (anyTest as TestFn<Circle & { pipe: CareCircle }>).serial

test.before(async (t) => {
  const circle = await joinCircle()
  t.context = { ...circle, pipe: await circle.as('pipe') }
})
test.after.always((t) => t.context?.[Symbol.asyncDispose]())

const DAY_MS = 24 * 60 * 60 * 1000

test('a code has eight unambiguous characters, lasts seven days, and is stored as a hash', async (t) => {
  const { careCircle, workspace, rows } = t.context
  const { owner, lovedOneId, workspaceId } = await workspace()
  const codes = new Set<string>()
  for (let n = 0; n < 20; n++) {
    const { code, expiresAt } = await careCircle.createProviderCode({ lovedOneId }, { token: owner.token })
    t.regex(code, /^[0-9A-HJKMNP-TV-Z]{8}$/)
    t.true(Math.abs(Number(expiresAt) - Date.now() - 7 * DAY_MS) < 60_000)
    codes.add(code)
  }
  t.is(codes.size, 20)
  const stored = JSON.stringify(await rows('provider_codes').find({ workspaceId }).toArray()).toUpperCase()
  for (const code of codes) t.false(stored.includes(code))
})

test('one form sent eight times makes one code, shown each time; another form makes another', async (t) => {
  const { careCircle, workspace, rows } = t.context
  const { owner, coordinator, lovedOneId, workspaceId } = await workspace()
  const send = (token: string, idempotencyKey: string) =>
    careCircle.createProviderCode({ lovedOneId, idempotencyKey }, { token })
  const answers = await Promise.all(Array.from({ length: 8 }, () => send(owner.token, 'form_1')))
  t.is(new Set(answers.map(({ code }) => code)).size, 1)
  t.is(new Set(answers.map(({ codeId }) => codeId)).size, 1)
  const others = [await send(owner.token, 'form_2'), await send(coordinator.token, 'form_1')]
  t.is(new Set([...answers, ...others].map(({ code }) => code)).size, 3)
  t.is(await rows('provider_codes').countDocuments({ workspaceId }), 3)
})

test('owner and coordinators create codes for their own loved ones', async (t) => {
  const { careCircle, workspace } = t.context
  const [ours, theirs] = [await workspace(), await workspace()]
  for (const [{ token }, status] of [
    [ours.owner, 'OK'],
    [ours.coordinator, 'OK'],
    [ours.viewer, 'PERMISSION_DENIED'],
  ] as const)
    t.is(await statusOf(careCircle.createProviderCode({ lovedOneId: ours.lovedOneId }, { token })), status)
  const mint = (lovedOneId: string) =>
    outcomeOf(careCircle.createProviderCode({ lovedOneId }, { token: ours.owner.token }))
  const foreign = await mint(theirs.lovedOneId)
  t.like(foreign, { status: 'NOT_FOUND', detail: { field: 'lovedOneId' } })
  for (const missing of ['lo_missing', '', '\0', 'a'.repeat(10_000), '{"$ne":null}', '__proto__'])
    t.deepEqual(await mint(missing), foreign)
})

test('a code works once; used, canceled, expired and unknown codes get the same error', async (t) => {
  const { careCircle, workspace, pipe, rows } = t.context
  const { owner, lovedOneId, workspaceId } = await workspace()
  const mint = () => careCircle.createProviderCode({ lovedOneId }, { token: owner.token })
  const redeem = (code: string, redemptionId: string) => outcomeOf(pipe.redeemProviderCode({ code, redemptionId }))
  const [used, voided, expired] = [await mint(), await mint(), await mint()]
  const typed = ` ${used.code.slice(0, 4).toLowerCase()}-${used.code.slice(4)} `
  t.deepEqual(await redeem(typed, 'agency/client-1'), { workspaceId, lovedOneId })
  t.deepEqual(await redeem(used.code, 'agency/client-1'), { workspaceId, lovedOneId }, 'the same use, asked again')
  await careCircle.cancelProviderCode({ codeId: voided.codeId }, { token: owner.token })
  await rows('provider_codes').updateOne({ _id: expired.codeId }, { $set: { expiresAt: new Date(Date.now() - 1) } })
  const unknown = await redeem('ZZZZZZZZ', 'agency/client-2')
  t.like(unknown, { status: 'NOT_FOUND', detail: { field: 'code' } })
  for (const code of [used.code, voided.code, expired.code, '', 'x'.repeat(100_000), '\0', '$where'])
    t.deepEqual(await redeem(code, 'agency/client-2'), unknown, code.slice(0, 20))
})

test('of 16 concurrent uses of a code, one succeeds', async (t) => {
  const { careCircle, workspace, pipe } = t.context
  const { owner, lovedOneId } = await workspace()
  const { code } = await careCircle.createProviderCode({ lovedOneId }, { token: owner.token })
  const uses = Array.from({ length: 16 }, (_, n) => outcomeOf(pipe.redeemProviderCode({ code, redemptionId: `${n}` })))
  const outcomes = await Promise.all(uses)
  const refusals = outcomes.filter((outcome) => outcome instanceof StatusError)
  t.is(refusals.length, 15)
  t.true(refusals.every(({ status }) => status === 'NOT_FOUND'))
})

test('only the pipe service redeems codes', async (t) => {
  const { careCircle, workspace, as } = t.context
  const { owner, lovedOneId } = await workspace()
  const { code } = await careCircle.createProviderCode({ lovedOneId }, { token: owner.token })
  const use = { code, redemptionId: '1' }
  for (const service of ['gateway', 'site', 'ops', 'inbox'] as const)
    t.is(await statusOf((await as(service)).redeemProviderCode(use)), 'PERMISSION_DENIED')
  t.is(await statusOf(careCircle.redeemProviderCode(use, { token: owner.token })), 'PERMISSION_DENIED')
})

test('the list shows usable codes by ending, newest first, and canceling removes one', async (t) => {
  const { careCircle, workspace, pipe } = t.context
  const [ours, theirs] = [await workspace(), await workspace()]
  const { token } = ours.owner
  const { lovedOne } = await careCircle.addLovedOne({ name: 'Jorge' }, { token })
  const [first, second] = [
    await careCircle.createProviderCode({ lovedOneId: ours.lovedOneId }, { token }),
    await careCircle.createProviderCode({ lovedOneId: lovedOne?.id ?? '' }, { token: ours.coordinator.token }),
  ]
  const used = await careCircle.createProviderCode({ lovedOneId: ours.lovedOneId }, { token })
  await pipe.redeemProviderCode({ code: used.code, redemptionId: '1' })
  const list = async (lovedOneId = '') =>
    (await careCircle.listProviderCodes({ lovedOneId }, { token: ours.viewer.token })).codes
  t.like(await list(), [
    { id: second.codeId, ending: second.code.slice(-2), createdBy: ours.coordinator.personId },
    { id: first.codeId, ending: first.code.slice(-2), createdBy: ours.owner.personId, lovedOneId: ours.lovedOneId },
  ])
  t.deepEqual(
    (await list(ours.lovedOneId)).map(({ id }) => id),
    [first.codeId],
  )
  t.is(await statusOf(list(theirs.lovedOneId)), 'NOT_FOUND')
  const voidIt = (codeId: string, by: string) => outcomeOf(careCircle.cancelProviderCode({ codeId }, { token: by }))
  t.like(await voidIt(first.codeId, ours.viewer.token), { status: 'PERMISSION_DENIED' })
  const missing = await voidIt('pc_missing', token)
  t.like(missing, { status: 'NOT_FOUND', detail: { field: 'codeId' } })
  t.deepEqual(await voidIt(first.codeId, theirs.owner.token), missing, 'another workspace’s')
  t.deepEqual(await voidIt(used.codeId, token), missing, 'used')
  t.deepEqual(await voidIt(first.codeId, token), {})
  t.deepEqual(await voidIt(first.codeId, token), missing, 'voided')
  t.deepEqual(
    (await list()).map(({ id }) => id),
    [second.codeId],
  )
})

test('codes of a removed member or new viewer stop working', async (t) => {
  const { careCircle, workspace, pipe } = t.context
  for (const end of ['removed', 'made a viewer']) {
    const { owner, coordinator, lovedOneId } = await workspace()
    const { code } = await careCircle.createProviderCode({ lovedOneId }, { token: coordinator.token })
    const { personId } = coordinator
    if (end === 'removed') await careCircle.removeMember({ personId }, { token: owner.token })
    else await careCircle.changeRole({ personId, role: Role.VIEWER }, { token: owner.token })
    t.is(await statusOf(pipe.redeemProviderCode({ code, redemptionId: '1' })), 'NOT_FOUND', end)
  }
})

test('a loved one has at most 20 unused codes', async (t) => {
  const { careCircle, workspace } = t.context
  const { owner, lovedOneId } = await workspace()
  const mint = () => outcomeOf(careCircle.createProviderCode({ lovedOneId }, { token: owner.token }))
  const codes = []
  for (let n = 0; n < 20; n++) codes.push(await mint())
  t.like(await mint(), { status: 'FAILED_PRECONDITION' })
  const [code] = codes
  t.false(code instanceof StatusError)
  if (code && !(code instanceof StatusError))
    await careCircle.cancelProviderCode({ codeId: code.codeId }, { token: owner.token })
  t.false((await mint()) instanceof StatusError)
})
