import test from 'ava'
import { trimEndOf, trimOf } from './trim.ts'

test('characters are removed from the end only', (t) => {
  t.is(trimEndOf('..a.b., ', '., '), '..a.b')
  t.is(trimEndOf('a.b', ','), 'a.b')
  t.is(trimEndOf('...', '.'), '')
  t.is(trimEndOf('', '.'), '')
  t.is(trimEndOf('a. ', ''), 'a. ')
})

test('characters are removed from both ends', (t) => {
  t.is(trimOf(' .a . b. ', '. '), 'a . b')
  t.is(trimOf('...', '.'), '')
  t.is(trimOf('', '.'), '')
  t.is(trimOf('a', '.'), 'a')
})

test('characters that mean something in a pattern are taken as they are', (t) => {
  t.is(trimOf('^[a-z]$', '^$'), '[a-z]')
  t.is(trimOf('-a\\', '\\-'), 'a')
  t.is(trimEndOf('a]', ']'), 'a')
})

test('an emoji is not cut in half by another that shares a half with it', (t) => {
  t.is(trimEndOf('a👩', '.'), 'a👩')
  t.is(trimEndOf('a👩.', '.'), 'a👩')
})
