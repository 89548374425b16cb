import test from 'ava'
import { autoSubmittedKeyword, isAutomated } from './automated-mail.ts'

const field = (name: string, value: string) => [{ name, value }]

test('auto-submitted, list and bulk mail, reports and bounces are automated', (t) => {
  for (const value of ['auto-generated', 'Auto-Replied; owner=x', 'auto-notified'])
    t.true(isAutomated(field('auto-submitted', value)))
  for (const value of ['bulk', 'list', 'Junk', 'auto_reply']) t.true(isAutomated(field('precedence', value)))
  t.true(isAutomated(field('list-id', 'News <news.example>')))
  t.true(isAutomated(field('content-type', 'multipart/report; report-type=delivery-status')))
  t.true(isAutomated(field('return-path', '<>')))
  t.true(isAutomated([], true))
})

test('a person’s mail is not automated, even if it suppresses automatic replies', (t) => {
  t.false(isAutomated([]))
  t.false(isAutomated(field('auto-submitted', 'No (by hand)')))
  t.false(isAutomated(field('precedence', 'first-class')))
  t.false(isAutomated(field('x-auto-response-suppress', 'All')))
  t.false(isAutomated(field('return-path', '<anna@family.example>')))
})

test('the Auto-Submitted keyword is lower case, without parameters', (t) => {
  t.is(autoSubmittedKeyword(field('auto-submitted', 'Auto-Replied; x=y')), 'auto-replied')
  t.is(autoSubmittedKeyword([]), undefined)
})
