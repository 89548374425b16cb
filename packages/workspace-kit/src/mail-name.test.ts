import test from 'ava'
import { takeLinksApart, toMailName } from './mail-name.ts'

test('an ordinary name stays as it is', (t) => {
  for (const name of [
    'Ana Almeida',
    'José Ñúñez-O’Neil',
    'J. R. Smith',
    'J.R. Smith',
    '李小龍',
    'עדי כהן',
    '👩‍👩‍👧 Mum',
    'می‌خواهم',
  ])
    t.is(toMailName(name), name.normalize('NFKC'))
})

test('nothing in a name reads as an address, a link or mail syntax', (t) => {
  t.is(toMailName('Bank <security@bank.example>'), 'Bank security bank example')
  t.is(toMailName('security＠bank．example'), 'security bank example')
  t.is(toMailName('https://evil.example/now'), 'https evil example now')
  t.is(toMailName('=?utf-8?q?Ana?='), 'utf-8 q Ana')
  t.is(toMailName('Rosa. Confirm at https://evil.example/now'), 'Rosa. Confirm at https evil example now')
  t.is(toMailName('evil.\u200cexample evil。example evil.(example)'), 'evil \u200cexample evil example evil. example')
  t.is(toMailName('Almeida, Ana'), 'Almeida Ana')
  t.is(toMailName('Ana \u202egro'), 'Ana gro')
  t.is(toMailName('<@>()[]:;,"'), '')
})

test('a long name is cut at 60 graphemes, never inside one', (t) => {
  t.is(toMailName('a'.repeat(60)), 'a'.repeat(60))
  t.is(toMailName('a'.repeat(61)), `${'a'.repeat(60)}…`)
  t.is(toMailName(`${'a'.repeat(59)} bcd`), `${'a'.repeat(59)}…`)
  t.is(toMailName('👩‍👩‍👧‍👦'.repeat(60)), `${'👩‍👩‍👧‍👦'.repeat(10)}…`)
  t.is(toMailName(`A${'\u0301\u0316'.repeat(500)}`), '')
})

test('a suggested name keeps all but its links', (t) => {
  t.is(takeLinksApart('Almeida family (sandbox)'), 'Almeida family (sandbox)')
  t.is(takeLinksApart('Almeida. Go to https://evil.example/now'), 'Almeida. Go to https evil example/now')
  t.is(takeLinksApart('write to x@evil.example'), 'write to x evil example')
})
