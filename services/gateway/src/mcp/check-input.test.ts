import test from 'ava'
import { z } from 'zod'
import { checkInput } from './check-input.ts'
import { limit, text } from './family/fields/fields.ts'

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
