import test from 'ava'
import { z } from 'zod'
import { checkInput } from './check-input.ts'
import { limit, text, yesOrNo } from './family/fields/fields.ts'

const schema = z.strictObject({ limit, body: text('body', 20).optional() })

test('a whole number that a model sends as text counts as that number', (t) => {
  t.is(checkInput(schema, { limit: '5' }).limit, 5)
  t.is(checkInput(schema, { limit: '50' }).limit, 50)
  t.is(checkInput(schema, { limit: 5 }).limit, 5)
})

test('text that is no whole number in range is refused, and text stays text', (t) => {
  for (const value of [
    '',
    ' 5',
    '5.0',
    '5.5',
    '05',
    '1e1',
    '0x5',
    '５',
    'five',
    '0',
    '51',
    '-5',
    '99999999999999999999',
    ['5'],
    true,
  ])
    t.throws(
      () => checkInput(schema, { limit: value }),
      { message: 'limit must be a whole number from 1 to 50.' },
      String(value),
    )
  t.deepEqual(checkInput(schema, { limit: '5', body: '5' }), { limit: 5, body: '5' })
  t.throws(() => checkInput(schema, { body: 5 }), { message: 'body must be text.' })
})

test('true and false that a model sends as text count where a boolean is wanted', (t) => {
  const asked = z.strictObject({ unread: yesOrNo('unread'), body: text('body', 20).optional() })
  t.deepEqual(checkInput(asked, { unread: 'true', body: 'true' }), { unread: true, body: 'true' })
  t.deepEqual(checkInput(asked, { unread: 'false' }), { unread: false })
  for (const unread of ['yes', 'True', '1', 1, ''])
    t.throws(() => checkInput(asked, { unread }), { message: 'unread must be true or false.' }, String(unread))
})

const wanted = z.strictObject({ lovedOneId: z.string(), limit, hasAttachment: yesOrNo('hasAttachment') })
const NEAR: [given: string, meant: string | undefined][] = [
  ['loved_one_id', 'lovedOneId'],
  ['lovedOneID', 'lovedOneId'],
  ['lovedOne', 'lovedOneId'],
  ['limits', 'limit'],
  ['hasAttachments', 'hasAttachment'],
  ['colour', undefined],
  ['', undefined],
  ['x'.repeat(100_000), undefined],
]

for (const [given, meant] of NEAR)
  test(`an unknown argument names the one it is near: ${given.slice(0, 20)}`, (t) => {
    const { message } = t.throws(() => checkInput(wanted, { [given]: 'x' })) as Error
    t.is(/Did you mean (\w+)\?/.exec(message)?.[1], meant)
    t.regex(message, /This tool takes: lovedOneId, limit, hasAttachment\.$/)
  })
