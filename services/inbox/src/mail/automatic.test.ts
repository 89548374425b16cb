import test from 'ava'
import { autoSubmittedKeyword, isAutomatic } from './automatic.ts'

const field = (name: string, value: string) => [{ name, value }]

test('mail that says so, lists, bulk, reports and bounces are automatic', (t) => {
  for (const value of ['auto-generated', 'Auto-Replied; owner=x', 'auto-notified'])
    t.true(isAutomatic(field('auto-submitted', value)))
  for (const value of ['bulk', 'list', 'Junk', 'auto_reply']) t.true(isAutomatic(field('precedence', value)))
  t.true(isAutomatic(field('list-id', 'News <news.example>')))
  t.true(isAutomatic(field('content-type', 'multipart/report; report-type=delivery-status')))
  t.true(isAutomatic(field('return-path', '<>')))
  t.true(isAutomatic([], true))
})

test('mail of a person is not, even if it asks for no automatic answers', (t) => {
  t.false(isAutomatic([]))
  t.false(isAutomatic(field('auto-submitted', 'No (by hand)')))
  t.false(isAutomatic(field('precedence', 'first-class')))
  t.false(isAutomatic(field('x-auto-response-suppress', 'All')))
  t.false(isAutomatic(field('return-path', '<anna@family.example>')))
})

test('the keyword of Auto-Submitted is given in lower case, without parameters', (t) => {
  t.is(autoSubmittedKeyword(field('auto-submitted', 'Auto-Replied; x=y')), 'auto-replied')
  t.is(autoSubmittedKeyword([]), undefined)
})
