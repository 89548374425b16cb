import { type AuditCount, CredentialKind, Outcome } from '@family-inbox/proto/auth/v1/auth'
import test from 'ava'
import { summarize } from './write-summary.ts'

const call = (changes: Partial<AuditCount> = {}): AuditCount => ({
  personId: 'per_ana',
  credentialId: 'key_1',
  kind: CredentialKind.TOOL_KEY,
  tool: 'get_inbox_message',
  outcome: Outcome.OK,
  day: '',
  calls: 1,
  messages: changes.calls ?? 1,
  ...changes,
})
const credentials = [{ id: 'key_1', name: 'Claude Code' }]
const people = { readerId: 'per_luis', nameOf: new Map([['per_ana', 'Ana']]) }
const lines = (...counts: AuditCount[]) => summarize({ counts, credentials }, people)

test('an assistant has one line with all it did and what was refused', (t) => {
  const counts = [
    call({ outcome: Outcome.FAILED }),
    call({ outcome: Outcome.RATE_LIMITED, calls: 2 }),
    call({ tool: 'reply_to_inbox_message', outcome: Outcome.APPROVAL_ASKED, calls: 2 }),
    call({ tool: 'reply_to_inbox_message', outcome: Outcome.CONFIRMATION_ASKED, calls: 3 }),
    call({ calls: 20, messages: 14 }),
    call({ tool: 'unknown', outcome: Outcome.REFUSED }),
  ]
  t.deepEqual(lines(...counts), ['Claude Code, for Ana: read 14 messages, proposed 2 replies, 3 refused, 1 failed'])
})

test('whoever only checked the connection, or was refused, did nothing', (t) => {
  t.deepEqual(lines(call({ tool: 'ping' }), call({ tool: 'get_user_profile' }), call({ outcome: Outcome.REFUSED })), [])
  t.deepEqual(lines(), [])
})

test('a revoked assistant and a former member have words of their own, and a person’s sessions are one assistant', (t) => {
  t.deepEqual(
    lines(
      call({ credentialId: 'key_2', personId: 'per_tom' }),
      call({ credentialId: 'ses_1', kind: CredentialKind.SESSION, personId: 'per_luis' }),
      call({ credentialId: 'ses_2', kind: CredentialKind.SESSION, personId: 'per_luis' }),
    ),
    [
      'An assistant that is no longer connected, for a former member: read a message',
      'The assistant in this app, for you: read 2 messages',
    ],
  )
})
