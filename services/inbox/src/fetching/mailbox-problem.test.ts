import test from 'ava'
import { refusals } from '../arriving/refusals.ts'
import { afterFailure, MailboxProblem, problemOf } from './mailbox-problem.ts'

const failure = (fields: object) => Object.assign(new Error('x'), fields)
const now = new Date('2026-11-27T08:00:00Z')

test('each failure of a connection has its reason', (t) => {
  t.is(problemOf(failure({ authenticationFailed: true, responseStatus: 'NO' })), 'password')
  t.is(problemOf(failure({ authenticationFailed: true, serverResponseCode: 'UNAVAILABLE' })), 'server')
  for (const code of ['ENOTFOUND', 'ECONNREFUSED', 'ETIMEDOUT', 'CONNECT_TIMEOUT', 'NoConnection'])
    t.is(problemOf(failure({ code })), 'unreachable', code)
  for (const code of ['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'EPROTO'])
    t.is(problemOf(failure({ code })), 'certificate', code)
  t.is(problemOf(failure({ tlsFailed: true, cause: failure({ code: 'ECONNRESET' }) })), 'certificate')
  t.is(problemOf(new MailboxProblem('folder', failure({ code: 'ENOTFOUND' }))), 'folder')
  for (const other of [failure({}), failure({ code: 'E2BIG' }), 'text', undefined]) t.is(problemOf(other), 'server')
})

test('each refusal to store a letter has its reason', (t) => {
  t.is(problemOf(refusals.storageFull()), 'storageFull')
  t.is(problemOf(refusals.inboxFull()), 'storageFull')
  t.is(problemOf(refusals.tooMuchMail()), 'tooMuchMail')
  t.is(problemOf(refusals.unknownRecipient()), 'inboxGone')
  t.is(problemOf(refusals.tryLater()), 'server')
})

test('the wait grows up to half an hour, and is longer where only the family can help', (t) => {
  const waits = (problem: Parameters<typeof afterFailure>[1], failures: number[]) =>
    failures.map((before) => {
      const after = afterFailure(before, problem, now)
      return 'dueAt' in after ? (after.dueAt.getTime() - now.getTime()) / 1000 : after.paused
    })
  t.deepEqual(waits('unreachable', [0, 1, 2, 8, 9, 58, 59]), [5, 10, 20, 1280, 1800, 1800, 'givenUp'])
  t.deepEqual(waits('password', [0, 1, 2]), [300, 300, 'givenUp'])
  t.deepEqual(waits('inboxGone', [0]), ['givenUp'])
  t.deepEqual(waits('storageFull', [0, 1000]), [600, 1800])
})
