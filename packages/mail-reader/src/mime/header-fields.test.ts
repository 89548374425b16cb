import test from 'ava'
import { fieldText, rawField, readHeaderFields } from './header-fields.ts'
import { MAX_FIELD_CHARS, MAX_HEADER_FIELDS } from './limits.ts'

const read = (text: string) => readHeaderFields(Buffer.from(text), 0, () => false)

test('fields are unfolded, names are lower case, and the first duplicate wins', (t) => {
  const { fields, bodyStart } = read('Subject: one\r\n  two\r\n\tthree\r\nsubject : again\r\n\r\nbody')
  t.is(rawField(fields, 'subject'), 'one  two\tthree')
  t.is(fields.length, 2)
  t.is('Subject: one\r\n  two\r\n\tthree\r\nsubject : again\r\n\r\nbody'.slice(bodyStart), 'body')
})

test('a broken line between fields is skipped', (t) => {
  t.is(rawField(read('A: 1\nnot a field\nX-B: 2\n\n').fields, 'x-b'), '2')
  t.is(rawField(read('From anna Mon Jan 1\nB: 2\n\n').fields, 'b'), '2')
})

test('text that does not start with a field has no header', (t) => {
  t.like(read('Hello there\nA: 1\n'), { fields: [], bodyStart: 0 })
})

test('unencoded UTF-8 and Windows-1252 are decoded', (t) => {
  t.is(fieldText(read('Subject: Grüße\n\n').fields, 'subject'), 'Grüße')
  t.is(
    fieldText(readHeaderFields(Buffer.from('Subject: Gr\xfc\xdfe', 'latin1'), 0, () => false).fields, 'subject'),
    'Grüße',
  )
})

test('huge fields and headers are cut', (t) => {
  const { fields } = read(`A: ${'a'.repeat(100_000)}\r\nB: b\r\n${' b\r\n'.repeat(100_000)}C: c\r\n\r\n`)
  t.true(fields.every((field) => field.value.length <= MAX_FIELD_CHARS))
  t.is(rawField(fields, 'c'), 'c')
  t.is(read('A: b\n'.repeat(5000)).fields.length, MAX_HEADER_FIELDS)
})
