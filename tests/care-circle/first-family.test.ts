import anyTest, { type TestFn } from 'ava'
import { statusOf } from '../_outcome.ts'
import { type Circle, startCircle } from './_circle.ts'

const test = (anyTest as TestFn<Circle>).serial

test.before(async (t) => {
  t.context = await startCircle()
})
test.beforeEach('nobody is here', async ({ context }) => {
  for (const collection of ['workspaces', 'members']) await context.rows(collection).deleteMany({})
})
test.after.always((t) => t.context?.[Symbol.asyncDispose]())

test('only auth creates the first family, once, however many ask at the same moment', async (t) => {
  const circle = t.context
  const auth = await circle.as('auth')
  const founder = { name: 'The Silva family', personId: 'per_ana', email: 'ana@silva.example', ownerName: 'Ana' }
  t.is(await statusOf((await circle.as('site')).createFirstWorkspace(founder)), 'PERMISSION_DENIED')
  t.false((await auth.hasWorkspace({})).found)
  const created = await Promise.all(
    Array.from({ length: 4 }, (_, nth) => statusOf(auth.createFirstWorkspace({ ...founder, personId: `per_${nth}` }))),
  )
  t.deepEqual(created.toSorted(), [...Array.from({ length: 3 }, () => 'FAILED_PRECONDITION'), 'OK'])
  t.is(await circle.rows('workspaces').countDocuments({}), 1)
  t.is(await circle.rows('members').countDocuments({}), 1)
  t.true((await auth.hasWorkspace({})).found)
})

test('an operator whose answer came too late asks again, and gets the family that is there', async (t) => {
  const circle = t.context
  const auth = await circle.as('auth')
  const founder = { name: 'The Silva family', personId: 'per_ana', email: 'ana@silva.example', ownerName: 'Ana' }
  const { workspaceId } = await auth.createFirstWorkspace(founder)
  t.deepEqual(await auth.createFirstWorkspace(founder), { workspaceId })
  t.is(await statusOf(auth.createFirstWorkspace({ ...founder, personId: 'per_eve' })), 'FAILED_PRECONDITION')
  t.is(await circle.rows('members').countDocuments({}), 1)
})

test('a family that came another way, or an unclaimed sandbox, decides whether there is a first one', async (t) => {
  const circle = t.context
  const auth = await circle.as('auth')
  await circle.rows('workspaces').insertOne({ _id: 'ws_sandbox', name: 'Try', plan: 'family', sandbox: true })
  t.false((await auth.hasWorkspace({})).found)
  await circle.workspace()
  t.true((await auth.hasWorkspace({})).found)
  const late = { name: 'Late', personId: 'per_eve', email: 'eve@silva.example', ownerName: 'Eve' }
  t.is(await statusOf(auth.createFirstWorkspace(late)), 'FAILED_PRECONDITION')
})
