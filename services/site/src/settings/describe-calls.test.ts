import { type AuditEntry, CredentialKind, Outcome } from '@family-inbox/proto/auth/v1/auth'
import test from 'ava'
import { describeCalls } from './describe-calls.ts'

const clock = { locale: 'en-GB', timeZone: 'Europe/Lisbon', now: new Date('2026-05-12T12:00:00Z') }
const people = { readerId: 'per_ana', nameOf: new Map([['per_luis', 'Luis']]) }
const credentials = [
  { id: 'grant_1', name: 'Claude' },
  { id: 'key_1', name: 'The laptop' },
]

const call = (time: string, changes: Partial<AuditEntry> = {}): AuditEntry => ({
  id: time,
  personId: 'per_ana',
  workspaceId: 'ws_1',
  credentialId: 'grant_1',
  kind: CredentialKind.ACCESS_TOKEN,
  tool: 'get_inbox_message',
  startedAt: new Date(time),
  durationUs: 1,
  outcome: Outcome.OK,
  ...changes,
})

const sentences = (calls: AuditEntry[]) =>
  describeCalls(calls, credentials, people, clock).map(({ activities }) =>
    activities.map(({ owner, assistant, text }) => `${owner} assistant (${assistant ?? 'here'}) ${text}`),
  )

test('consecutive calls of one kind become one activity', (t) => {
  t.deepEqual(
    sentences([
      call('2026-05-12T11:03:00Z'),
      call('2026-05-12T11:02:00Z'),
      call('2026-05-12T11:01:00Z', { tool: 'list_inbox_messages' }),
      call('2026-05-12T11:00:00Z'),
    ]),
    [
      [
        'Your assistant (Claude) read 2 messages',
        'Your assistant (Claude) looked through the inbox',
        'Your assistant (Claude) read a message',
      ],
    ],
  )
})

test('activities are split at the reader’s midnight', (t) => {
  // Half past midnight in Lisbon, and half an hour before it.
  const [today, yesterday] = describeCalls(
    [call('2026-05-11T23:30:00Z'), call('2026-05-11T22:30:00Z')],
    credentials,
    people,
    clock,
  )
  t.is(today?.activities[0]?.count, 1)
  t.is(yesterday?.activities[0]?.count, 1)
})

test('an activity names the owner and the assistant, even after they are gone', (t) => {
  t.deepEqual(
    sentences([
      call('2026-05-12T11:04:00Z', { personId: 'per_luis', credentialId: 'key_1', kind: CredentialKind.TOOL_KEY }),
      call('2026-05-12T11:03:00Z', { personId: 'per_gone', credentialId: 'key_gone', kind: CredentialKind.TOOL_KEY }),
      call('2026-05-12T11:02:00Z', { credentialId: 'ses_1', kind: CredentialKind.SESSION }),
    ]),
    [
      [
        'Luis’s assistant (The laptop) read a message',
        'A former member’s assistant (no longer connected) read a message',
        'Your assistant (here) read a message',
      ],
    ],
  )
})

test('a refused call says what was tried and why it was refused', (t) => {
  const [day] = describeCalls(
    [
      call('2026-05-12T11:02:00Z', { tool: 'reply_to_inbox_message', outcome: Outcome.INSUFFICIENT_SCOPE }),
      call('2026-05-12T11:01:00Z', { outcome: Outcome.RATE_LIMITED }),
      call('2026-05-12T11:00:00Z', { outcome: Outcome.RATE_LIMITED }),
      call('2026-05-12T10:00:00Z', { tool: 'constructor', outcome: Outcome.REFUSED }),
    ],
    credentials,
    people,
    clock,
  )
  t.deepEqual(
    day?.activities.map(({ text, refusal }) => [text, refusal]),
    [
      ['tried to send a reply', 'Refused: it has read-only access.'],
      ['tried to read a message twice', 'Refused: too many calls within a minute.'],
      ['tried to call an unknown tool', 'Refused: it was not allowed, or the item doesn’t exist.'],
    ],
  )
})
