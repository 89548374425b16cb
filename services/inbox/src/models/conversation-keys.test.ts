import test from 'ava'
import fc from 'fast-check'
import { groupMessages } from '../migrations/group-messages.ts'
import { conversationKeys } from './conversation-keys.ts'

const CLINIC = { name: 'Clinic', address: 'desk@clinic.example' }
const MAY = new Date('2026-05-12T10:00:00Z')

type Mail = Partial<Parameters<typeof conversationKeys>[0]> & { id: string }

const mail = ({ id, ...rest }: Mail) => ({
  id,
  ...conversationKeys({
    messageIdHeader: `<${id}@clinic.example>`,
    references: [],
    subject: 'Question',
    from: CLINIC,
    receivedAt: MAY,
    ...rest,
  }),
})

/** Which mails end in one conversation, whatever their order. */
function grouped(...mails: Mail[]): string[] {
  const groups = Map.groupBy(groupMessages(mails.map(mail), 200), ([, conversation]) => conversation)
  return [...groups.values()]
    .map((members) =>
      members
        .map(([id]) => id)
        .sort()
        .join(' '),
    )
    .sort()
}

const answerTo = (id: string) => ({ inReplyTo: `<${id}@clinic.example>`, references: [`<${id}@clinic.example>`] })

test('answers join the mail they name, through several steps', (t) => {
  t.deepEqual(grouped({ id: 'a' }, { id: 'b', ...answerTo('a') }, { id: 'c', ...answerTo('b') }, { id: 'x' }), [
    'a b c',
    'x',
  ])
})

test('two answers to a mail that never arrived join each other', (t) => {
  t.deepEqual(grouped({ id: 'b', ...answerTo('gone') }, { id: 'c', ...answerTo('gone') }), ['b c'])
})

test('an answer that names no message joins the mail with its subject and person', (t) => {
  for (const subject of ['Re: Question', 'RE:  question', 'AW: Re: Question', 'Re[2]: Question', 'Sv: Fwd: QUESTION'])
    t.deepEqual(grouped({ id: 'a' }, { id: 'b', subject }), ['a b'], subject)
  t.deepEqual(
    grouped({ id: 'a' }, { id: 'b', subject: 'Re: Question', from: { name: '', address: 'DESK@clinic.example' } }),
    ['a b'],
  )
  const forwarded = { from: { name: 'Ana', address: 'ana@family.example' }, originalSender: CLINIC }
  t.deepEqual(grouped({ id: 'a', subject: 'Fwd: Question', ...forwarded }, { id: 'b', subject: 'Re: Question' }), [
    'a b',
  ])
})

test('mail of the same subject stays apart when it is no answer, from someone else, or months later', (t) => {
  t.deepEqual(grouped({ id: 'a', subject: 'Your results' }, { id: 'b', subject: 'Your results' }), ['a', 'b'])
  t.deepEqual(grouped({ id: 'a', subject: 'Fwd: Your results' }, { id: 'b', subject: 'Fwd: Your results' }), ['a', 'b'])
  const other = { name: 'Bank', address: 'desk@bank.example' }
  t.deepEqual(grouped({ id: 'a' }, { id: 'b', subject: 'Re: Question', from: other }), ['a', 'b'])
  t.deepEqual(grouped({ id: 'a' }, { id: 'b', subject: 'Re: Question', sentAt: new Date('2026-06-30T10:00:00Z') }), [
    'a b',
  ])
  t.deepEqual(grouped({ id: 'a' }, { id: 'b', subject: 'Re: Question', sentAt: new Date('2026-07-01T10:00:00Z') }), [
    'a',
    'b',
  ])
  t.deepEqual(grouped({ id: 'a', subject: '' }, { id: 'b', subject: 'Re:' }), ['a', 'b'])
  t.deepEqual(
    grouped({ id: 'a', subject: 'Reminder: visit' }, { id: 'b', subject: 'Re: Reminder: visit', ...answerTo('z') }),
    ['a', 'b'],
  )
})

test('the order of arrival does not matter', (t) => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  const one = fc.record({
    named: fc.subarray(ids, { maxLength: 2 }),
    subject: fc.constantFrom('Question', 'Re: Question', 'Visit', 'Re: Visit'),
    month: fc.constantFrom('2026-05', '2026-06', '2026-07'),
  })
  const mails = fc.tuple(...ids.map(() => one))
  fc.assert(
    fc.property(mails, fc.shuffledSubarray(ids, { minLength: ids.length }), (drawn, order) => {
      const all = drawn.map(({ named, subject, month }, index) => ({
        id: ids[index] as string,
        subject,
        sentAt: new Date(`${month}-15T10:00:00Z`),
        references: named.map((id) => `<${id}@clinic.example>`),
      }))
      const reordered = order.map((id) => all[ids.indexOf(id)] as (typeof all)[0])
      t.deepEqual(grouped(...reordered), grouped(...all))
    }),
  )
})

test('a conversation is limited, and a hundred thousand mails that name one message are grouped in linear time', (t) => {
  const many = Array.from({ length: 100_000 }, (_, index) => ({
    id: `m${index}`,
    own: ['key', `k${index}`],
    sought: ['key'],
  }))
  const sizes = Map.groupBy(groupMessages(many, 200).values(), (id) => id)
  t.true([...sizes.values()].every((members) => members.length <= 200))
})
