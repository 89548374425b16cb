import test from 'ava'
import { autoSubmittedKeyword, isAutomated } from './automated-mail.ts'

const field = (name: string, value: string) => [{ name, value }]

test('mail that says so, lists, bulk, reports and bounces are automatic', (t) => {
  for (const value of ['auto-generated', 'Auto-Replied; owner=x', 'auto-notified'])
    t.true(isAutomated(field('auto-submitted', value)))
  for (const value of ['bulk', 'list', 'Junk', 'auto_reply']) t.true(isAutomated(field('precedence', value)))
  t.true(isAutomated(field('list-id', 'News <news.example>')))
  t.true(isAutomated(field('content-type', 'multipart/report; report-type=delivery-status')))
  t.true(isAutomated(field('return-path', '<>')))
  t.true(isAutomated([], true))
})

test('mail of a person is not, even if it asks for no automatic answers', (t) => {
  t.false(isAutomated([]))
  t.false(isAutomated(field('auto-submitted', 'No (by hand)')))
  t.false(isAutomated(field('precedence', 'first-class')))
  t.false(isAutomated(field('x-auto-response-suppress', 'All')))
  t.false(isAutomated(field('return-path', '<anna@family.example>')))
})

test('the keyword of Auto-Submitted is given in lower case, without parameters', (t) => {
  t.is(autoSubmittedKeyword(field('auto-submitted', 'Auto-Replied; x=y')), 'auto-replied')
  t.is(autoSubmittedKeyword([]), undefined)
})
