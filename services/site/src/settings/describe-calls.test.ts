import { type AuditCount, type AuditEntry, CredentialKind, Outcome } from '@family-inbox/proto/auth/v1/auth'
import test from 'ava'
import { calendarDay } from '../shell/moment.ts'
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

/** The counts of auth, if the page has all calls of its days. */
const countsOf = (calls: AuditEntry[]): AuditCount[] =>
  calls.map((one) => ({ ...one, day: calendarDay(one.startedAt as Date, clock), calls: 1, messages: 1 }))
const describe = (entries: AuditEntry[], counts = countsOf(entries)) =>
  describeCalls({ entries, counts, credentials }, people, clock)
const sentences = (calls: AuditEntry[]) =>
  describe(calls).map(({ assistants }) =>
    assistants.map(({ owner, assistant, summary }) => `${owner} assistant (${assistant ?? 'here'}) ${summary}`),
  )
const message = (messageId: string) => ({ message: { messageId, lovedOneId: 'lo_1' } })

test('a day of an assistant is one sentence, with its calls below', (t) => {
  const calls = [
    call('2026-05-12T11:04:00Z', { tool: 'reply_to_inbox_message', outcome: Outcome.APPROVAL_ASKED }),
    call('2026-05-12T11:03:00Z'),
    call('2026-05-12T11:02:00Z'),
    call('2026-05-12T11:01:00Z', { tool: 'list_inbox_messages' }),
    call('2026-05-12T11:00:00Z'),
    call('2026-05-12T10:00:00Z', { outcome: Outcome.RATE_LIMITED }),
  ]
  t.deepEqual(sentences(calls), [
    ['Your assistant (Claude) proposed a reply, read 3 messages, looked through the inbox and had 1 call refused'],
  ])
  t.deepEqual(
    describe(calls)[0]?.assistants[0]?.activities.map(({ text }) => text),
    ['proposed a reply', 'read 2 messages', 'looked through the inbox', 'read a message', 'tried to read a message'],
  )
  t.deepEqual(
    describe(calls)[0]?.assistants[0]?.activities.map(({ isWaiting }) => isWaiting),
    [true, false, false, false, false],
  )
})

test('each assistant has its own sentence, however its calls are mixed with others', (t) => {
  const laptop = { credentialId: 'key_1', kind: CredentialKind.TOOL_KEY }
  t.deepEqual(
    sentences([
      call('2026-05-12T11:03:00Z'),
      call('2026-05-12T11:02:00Z', laptop),
      call('2026-05-12T11:01:00Z'),
      call('2026-05-12T11:00:00Z', { ...laptop, personId: 'per_luis' }),
    ]),
    [
      [
        'Your assistant (Claude) read 2 messages',
        'Your assistant (The laptop) read a message',
        'Luis’s assistant (The laptop) read a message',
      ],
    ],
  )
})

test('a sentence counts the whole day, with what other pages have of it', (t) => {
  const entries = [call('2026-05-12T11:03:00Z')]
  const count = { ...countsOf(entries)[0], calls: 140, messages: 120 } as AuditCount
  const elsewhere = { ...count, credentialId: 'key_1', calls: 2, messages: 2 }
  const [day] = describe(entries, [count, elsewhere])
  t.deepEqual(
    day?.assistants.map(({ summary, calls, isComplete, activities }) => [
      summary,
      calls,
      isComplete,
      activities.length,
    ]),
    [
      ['read 120 messages', 140, false, 1],
      ['read 2 messages', 2, false, 0],
    ],
  )
  t.like(describe(entries, [])[0]?.assistants[0], { summary: 'made too many calls to count', isComplete: false })
  t.true(describe(entries)[0]?.assistants[0]?.isComplete)
})

test('a message that is read again is one message, with one link', (t) => {
  const calls = [
    call('2026-05-12T11:03:00Z', message('msg_1')),
    call('2026-05-12T11:02:00Z', message('msg_2')),
    call('2026-05-12T11:01:00Z', message('msg_1')),
    call('2026-05-12T11:00:00Z'),
  ]
  const activity = describe(calls)[0]?.assistants[0]?.activities[0]
  t.is(activity?.text, 'read 3 messages')
  t.deepEqual(
    activity?.messages.map(({ messageId }) => messageId),
    ['msg_1', 'msg_2'],
  )
})

test('days end at the reader’s midnight', (t) => {
  // Half past midnight in Lisbon, and half an hour before it.
  const days = describe([call('2026-05-11T23:30:00Z'), call('2026-05-11T22:30:00Z')])
  t.deepEqual(
    days.map(({ day, assistants }) => [day, assistants[0]?.calls]),
    [
      ['2026-05-12', 1],
      ['2026-05-11', 1],
    ],
  )
})

test('a sentence names the owner and the assistant, even after they are gone', (t) => {
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
  const [day] = describe([
    call('2026-05-12T11:02:00Z', { tool: 'reply_to_inbox_message', outcome: Outcome.INSUFFICIENT_SCOPE }),
    call('2026-05-12T11:01:00Z', { outcome: Outcome.RATE_LIMITED }),
    call('2026-05-12T11:00:00Z', { outcome: Outcome.RATE_LIMITED }),
    call('2026-05-12T10:00:00Z', { tool: 'constructor', outcome: Outcome.REFUSED }),
  ])
  t.is(day?.assistants[0]?.summary, 'had 4 calls refused')
  t.deepEqual(
    day?.assistants[0]?.activities.map(({ text, refusal }) => [text, refusal]),
    [
      ['tried to send a reply', 'Refused: it has read-only access.'],
      ['tried to read a message twice', 'Refused: too many calls within a minute.'],
      ['tried to call an unknown tool', 'Refused: it was not allowed, or the item doesn’t exist.'],
    ],
  )
})

test('every way a call can end is in the sentence', (t) => {
  for (const outcome of Object.values(Outcome)) {
    const [day] = describe([call('2026-05-12T11:02:00Z', { outcome })])
    t.not(day?.assistants[0]?.summary, '', outcome)
  }
})

test('a person has their own sentence, and what an act was about divides its rows', (t) => {
  const person = { kind: CredentialKind.PERSON, credentialId: '', tool: 'open_message' }
  const acts = [
    call('2026-05-12T11:03:00Z', { ...person, ...message('msg_1') }),
    call('2026-05-12T11:02:00Z', { ...person, ...message('msg_2') }),
    call('2026-05-12T11:01:00Z', { ...person, tool: 'forward_message', detail: { word: 'other' } }),
    call('2026-05-12T11:00:00Z', { ...person, tool: 'forward_message', detail: { word: 'member' } }),
    call('2026-05-12T10:59:00Z', { ...person, personId: 'per_luis', tool: 'remove_person' }),
    call('2026-05-12T10:58:00Z', { ...person, personId: 'per_gone', tool: 'leave_family' }),
    call('2026-05-12T10:57:00Z', { ...person, personId: '', tool: 'use_emergency_link' }),
  ]
  const [day] = describe(acts)
  t.deepEqual(
    day?.assistants.map(({ person: name, summary }) => `${name} ${summary}`),
    [
      'You forwarded 2 messages and opened 2 messages',
      'Luis removed a person',
      'A former member left the family',
      'Somebody with a link opened an emergency sheet with a link',
    ],
  )
  t.deepEqual(
    day?.assistants[0]?.activities.map(({ text, detail }) => [text, detail?.word]),
    [
      ['opened 2 messages', undefined],
      ['forwarded a message', 'other'],
      ['forwarded a message', 'member'],
    ],
  )
})
