import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'

const test = anyTest as TestFn<{ f: Guest; other: DemoFamily<never>; otherMessageId: string; ownMessageId: string }>

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  const other = await f.another({ withMail: true })
  const first = async (family: DemoFamily<never>) => {
    const { json } = await f.call(family.keys.owner, 'list_inbox_messages', { lovedOneId: family.lovedOnes[0]?.id })
    return json.result.structuredContent.messages[0].id
  }
  t.context = { f, other, otherMessageId: await first(other), ownMessageId: await first(f.family) }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

const missing = (prefix: string) => `${prefix}_${'0'.repeat(26)}`
const calls: [tool: string, args: (lovedOneId: string, messageId: string) => object][] = [
  ['list_inbox_messages', (lovedOneId) => ({ lovedOneId })],
  ['list_care_events', (lovedOneId) => ({ lovedOneId })],
  ['get_inbox_message', (lovedOneId, messageId) => ({ lovedOneId, messageId })],
  ['create_provider_code', (lovedOneId) => ({ lovedOneId })],
  ['reply_to_inbox_message', (_, messageId) => ({ messageId, body: 'x' })],
  ['reply_to_inbox_message', (lovedOneId, messageId) => ({ lovedOneId, messageId, body: 'x' })],
]

for (const role of ['owner', 'coordinator', 'viewer'] as const)
  for (const [tool, args] of calls)
    test(`for the ${role}, ${tool} treats another family’s ids (${Object.keys(args('a', 'b'))}) like ids that do not exist`, async (t) => {
      const { f, other, otherMessageId } = t.context
      const foreign = await f.call(f.family.keys[role], tool, args(other.lovedOnes[0]?.id ?? '', otherMessageId))
      const unknown = await f.call(f.family.keys[role], tool, args(missing('lo'), missing('msg')))
      const malformed = await f.call(f.family.keys[role], tool, args('x', '../../etc'))
      t.true(foreign.json.result.isError)
      t.is(foreign.text, unknown.text)
      t.is(malformed.text, unknown.text)
    })

test('a message is not found under another loved one of the same family', async (t) => {
  const { f, ownMessageId } = t.context
  const call = (lovedOneId: string | undefined, messageId: string) =>
    f.call(f.family.keys.owner, 'get_inbox_message', { lovedOneId, messageId })
  const second = f.family.lovedOnes[1]?.id
  t.is((await call(second, ownMessageId)).text, (await call(second, missing('msg'))).text)
  t.is((await call(f.family.lovedOnes[0]?.id, ownMessageId)).json.result.isError, undefined)
})

test('a cursor from another family reveals nothing', async (t) => {
  const { f, other } = t.context
  const page = (family: DemoFamily<never>, extra: object) =>
    f.call(family.keys.owner, 'list_inbox_messages', { lovedOneId: family.lovedOnes[0]?.id, ...extra })
  const { nextCursor } = (await page(other, { limit: 1 })).json.result.structuredContent
  const own = (await page(f.family, {})).json.result.structuredContent.messages.map(({ id }: { id: string }) => id)
  const shown = (await page(f.family, { cursor: nextCursor })).json.result.structuredContent.messages
  for (const { id } of shown) t.true(own.includes(id))
})
