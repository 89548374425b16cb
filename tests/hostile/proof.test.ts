import type { Authenticity } from '@family-inbox/mail-reader/authenticity/authenticity'
import { isProven } from '@family-inbox/mail-reader/authenticity/sender-check'
import { isOfVerifiedSender, senderOf } from '@family-inbox/mail-reader/authenticity/sender-of'
import { parsePlainMessage } from '@family-inbox/mail-reader/parse-message'
import { SenderProof } from '@family-inbox/proto/calendar/v1/calendar_change'
import { nameOfSender } from '@family-inbox/workspace-kit/sender-name'
import test from 'ava'
import fc from 'fast-check'
import { isProvenAnswer } from '../../services/inbox/src/conversations/end-reminders.ts'
import { isOfSameVerifiedSender } from '../../services/inbox/src/conversations/notes-beside.ts'
import type { Message } from '../../services/inbox/src/models/message.ts'
import { isVerified, resolveReplyTo } from '../../services/inbox/src/models/reply-to.ts'
import { type Arrived, simulateJoins } from './_simulate-joins.ts'

const COMBINATIONS = 10_000
const OWN = { mailDomain: 'inbox.example', senderAddress: 'care@inbox.example' }
const CLINIC = 'desk@oakhill.example'
const MEMBER = 'ana@family.example'
const VIEWER = 'vi@family.example'
const OURS = '<ours@inbox.example>'
const FIRST = '<mri.1@oakhill.example>'
const SECOND = '<mri.2@oakhill.example>'
const FORWARD = '<fwd@family.example>'

const PASSED: Authenticity = { spf: 'pass', dkim: 'pass', dmarc: 'pass', arc: 'none', aligned: true }
const SIGNED: Authenticity = { ...PASSED, dmarc: 'none' }
type Row = Arrived['row'] & Pick<Message, 'replyTo' | 'originalReplyTo' | 'fromMember'>

const timeOf = (minute: number) => new Date(Date.UTC(2026, 4, 12, 10, minute))

/** As inbox stores a mail whose check has ended with this result. */
function toRow(id: string, minute: number, lines: string[], authenticity: Authenticity, text = ''): Row {
  const parsed = parsePlainMessage(Buffer.from([...lines, '', text, 'The MRI moved.', ''].join('\r\n')))
  if (parsed === undefined) throw new Error('not plain')
  const { messageId, listAuthor, originalSender = listAuthor, ...fields } = parsed
  const isWriter = isProven({ authenticity }) && fields.from.address.toLowerCase() === MEMBER
  return {
    _id: `w/l/${id}`,
    workspaceId: 'w',
    lovedOneId: 'l',
    receivedAt: timeOf(minute),
    ...fields,
    messageIdHeader: messageId,
    originalSender: isWriter ? originalSender : parsed.originalSender,
    fromMember: [MEMBER, VIEWER].includes(fields.from.address.toLowerCase()),
    ...(isWriter && { sentByMember: true, ...(originalSender && { forwardedByMember: true }) }),
    authenticity,
  } as Row
}

/** The clinic's mail with our reply to it, its answers, and a member's forward. */
const PROVEN: Arrived[] = [
  {
    row: toRow('p1', 10, [`From: Oakhill Clinic <${CLINIC}>`, 'Subject: MRI', `Message-ID: ${FIRST}`], PASSED),
    replies: [{ messageId: OURS, to: CLINIC }],
  },
  {
    row: toRow(
      'p2',
      20,
      [`From: <${CLINIC}>`, 'Subject: Re: MRI', `Message-ID: ${SECOND}`, `In-Reply-To: ${OURS}`],
      SIGNED,
    ),
  },
  {
    row: toRow(
      'p3',
      30,
      [
        `From: Ana <${MEMBER}>`,
        'Subject: Fwd: MRI',
        `Message-ID: ${FORWARD}`,
        `References: ${FIRST}`,
        `X-Original-From: ${CLINIC}`,
      ],
      PASSED,
    ),
  },
  { row: toRow('p4', 40, [`From: <${CLINIC}>`, 'Subject: Results', 'Message-ID: <results@oakhill.example>'], PASSED) },
  { row: toRow('p5', 50, [`From: <${CLINIC}>`, 'Subject: Re: MRI', 'Message-ID: <bare@oakhill.example>'], PASSED) },
  {
    row: toRow(
      'p6',
      60,
      [
        `From: <billing@oakhill.example>`,
        'Subject: Re: MRI',
        'Message-ID: <bill@oakhill.example>',
        `References: ${FIRST} ${SECOND}`,
      ],
      SIGNED,
    ),
  },
]

const addresses = [
  CLINIC,
  CLINIC.toUpperCase(),
  'billing@oakhill.example',
  MEMBER,
  VIEWER,
  'x@attacker.example',
  'desk@attacker.example',
  'desk@oakhill.example.attacker.example',
  'reception@oakhıll.example',
]
/** Whom a forward that a stranger made up names as its author. */
const QUOTED = 'pay@elsewhere.example'
const BLOCKS = [
  `---------- Forwarded message ---------\r\nFrom: Billing <${QUOTED}>\r\nDate: Tue, 12 May 2026\r\n`,
  `From: Billing <${QUOTED}>\r\nSent: Tuesday, 12 May 2026 10:00\r\nTo: Ana\r\nSubject: MRI\r\n`,
  `On 12/05/2026 10:00, "Billing" <${QUOTED}> wrote:\r\n`,
]
const names = [
  '',
  'Oakhill Clinic',
  CLINIC,
  'Oakhill (oakhill.example)',
  'desk＠oakhill',
  `=?utf-8?B?${Buffer.from(CLINIC).toString('base64')}?=`,
  `Oakhill <${CLINIC}>`,
]
const ids = [FIRST, SECOND, OURS, FORWARD, '<results@oakhill.example>', '<own@attacker.example>']

const mailbox = fc
  .tuple(fc.constantFrom(...names), fc.constantFrom(...addresses))
  .map(([name, address]) => `"${name}" <${address}>`)
const from = fc.oneof(
  { weight: 4, arbitrary: mailbox },
  fc.tuple(mailbox, mailbox).map((two) => two.join(', ')),
  mailbox.map((one) => `Oakhill: ${one};`),
)
const field = (name: string, value: fc.Arbitrary<string>) =>
  fc.option(value, { nil: '' }).map((text) => (text === '' ? [] : [`${name}: ${text}`]))
const refused = fc.record({
  spf: fc.constantFrom('pass', 'fail', 'none'),
  dkim: fc.constantFrom('pass', 'fail', 'none', 'temperror'),
  // Appended text passes DMARC, and is not aligned.
  dmarc: fc.constantFrom('pass', 'fail', 'none', 'temperror', 'permerror'),
  arc: fc.constantFrom('none', 'pass', 'fail'),
  aligned: fc.constant(false),
  arcSealers: fc.subarray(['attacker.example', 'google.com']),
})

/** What a stranger sends: any header, and any result that a check can have for somebody who holds no key of the domain. */
const stranger = fc
  .record({
    from,
    replyTo: field('Reply-To', mailbox),
    sender: field('Sender', mailbox),
    original: field('X-Original-From', mailbox),
    resent: field('Resent-From', mailbox),
    returnPath: field('Return-Path', mailbox),
    date: field('Date', fc.constantFrom('Tue, 12 May 2026 09:00:00 +0000', 'Sun, 12 Apr 2026 09:00:00 +0000', 'never')),
    claimed: field('Authentication-Results', fc.constant('inbox; dmarc=pass header.from=oakhill.example; dkim=pass')),
    spf: field('Received-SPF', fc.constant('pass')),
    subject: fc.constantFrom('MRI', 'Re: MRI', 'Fwd: MRI', 'Re: Results', ''),
    inReplyTo: field('In-Reply-To', fc.constantFrom(...ids)),
    references: field(
      'References',
      fc.subarray(ids).map((some) => some.join(' ')),
    ),
    messageId: fc.constantFrom(...ids),
    minute: fc.constantFrom(11, 21, 31, 41, 51, 61),
    text: fc.constantFrom('', ...BLOCKS),
    refused,
    own: fc.constantFrom(PASSED, SIGNED),
    isVerified: fc.boolean(),
  })
  .map(({ minute, messageId, text, refused, own, isVerified: claims, ...head }) => ({
    minute,
    messageId,
    text,
    refused,
    own,
    claims,
    head,
  }))

type Stranger = typeof stranger extends fc.Arbitrary<infer One> ? One : never

function toStranger({ head, minute, messageId, text, refused, own, claims }: Stranger, index: number): Row {
  const { from, subject, ...fields } = head
  // Only what has arrived is known to anybody.
  const isKnown = !PROVEN.some(({ row }) => row.messageIdHeader === messageId && row.receivedAt > timeOf(minute))
  const id = isKnown ? messageId : `<s${index}@attacker.example>`
  const lines = [`From: ${from}`, `Subject: ${subject}`, `Message-ID: ${id}`, ...Object.values(fields).flat()]
  const row = toRow(`s${index}`, minute, lines, refused, text)
  // Two authors are never verified (authenticity/authenticate-mail.ts).
  const isTheirs = THEIRS.test(row.from.address) && !from.includes(', ')
  return isTheirs && claims ? toRow(`s${index}`, minute, lines, own, text) : row
}

const isOurs = (id: string) => id.includes('/p')
/** The conversations of proven mail, whatever their ids. */
function provenGroups(joins: Map<string, string>): string[] {
  const groups = Map.groupBy(joins, ([, conversation]) => conversation)
  return [...groups.values()]
    .map((members) =>
      members
        .map(([id]) => id)
        .filter(isOurs)
        .join(' '),
    )
    .filter(Boolean)
    .sort()
}

const ALONE = provenGroups(simulateJoins(PROVEN))
const THEIRS = /@(?:.*\.)?attacker\.example$/

function byArrival(one: Arrived, other: Arrived): number {
  return one.row.receivedAt.getTime() - other.row.receivedAt.getTime()
}

test('the clinic’s mail, its answers and a member’s forward are in their conversations', (t) => {
  t.deepEqual(ALONE, ['w/l/p1 w/l/p2 w/l/p3 w/l/p5 w/l/p6', 'w/l/p4'])
})

function requireSame(expected: unknown, found: unknown, what: string): void {
  if (JSON.stringify(expected) !== JSON.stringify(found)) throw new Error(`${what}: ${JSON.stringify(found)}`)
}

/** What a stranger's mail gets. It is theirs if a domain of their own proves it. */
function requireNothingOfOthers(row: Row, isTheirs: boolean): void {
  const { sender, proof } = senderOf(row)
  requireSame(row.from, sender, 'only a member’s proven mail names another sender')
  requireSame(isTheirs ? SenderProof.VERIFIED : SenderProof.UNSPECIFIED, proof, 'moves an appointment')
  if (THEIRS.test(sender.address)) requireSame(false, /[@＠]|oakhill\.example/i.test(nameOfSender(sender)), 'name')
  if (!isTheirs) requireSame(false, isOfVerifiedSender(row), 'is read without the guard, or with notes')
  requireSame(false, isVerified(row as never, CLINIC), 'lifts the limits of replies to the clinic')
  for (const { row: other } of PROVEN) {
    requireSame(false, isProvenAnswer(row, other), 'ends a reminder')
    requireSame(false, isOfSameVerifiedSender(row, other), 'reveals notes')
  }
  const to = resolveReplyTo(row, OWN as never)
  if (!row.fromMember) requireSame(false, to === QUOTED, 'a quote or a forged forward redirects a reply')
  if (to !== undefined && isVerified(row as never, to))
    requireSame(true, isTheirs && THEIRS.test(to), 'lifts the limits of replies')
}

test(`in ${COMBINATIONS} combinations of headers, names and results, nothing unproven changes how proven mail is shown, ends, moves, stops or reveals`, (t) => {
  t.timeout(120_000)
  let proven = 0
  const property = fc.property(fc.array(stranger, { minLength: 1, maxLength: 3 }), (drawn) => {
    const strangers = drawn.map(toStranger)
    const arrived = [...PROVEN, ...strangers.map((row) => ({ row }))].sort(byArrival)
    const joins = simulateJoins(arrived)
    requireSame(ALONE, provenGroups(joins), 'conversations of proven mail')
    for (const row of strangers) {
      const beside = [...joins].filter(([id, conversation]) => isOurs(id) && conversation === joins.get(row._id))
      requireSame([], beside, 'joined')
      const isTheirs = isProven(row)
      requireNothingOfOthers(row, isTheirs)
      proven += isTheirs ? 1 : 0
    }
  })
  fc.assert(property, { numRuns: COMBINATIONS })
  t.true(proven > 1000, 'strangers with a domain of their own are among them')
})
