import test from 'ava'
import { type Arrived, simulateJoins } from '../../../../tests/hostile/_simulate-joins.ts'

const PASS = { spf: 'none', dkim: 'pass', dmarc: 'none', arc: 'none', aligned: true }
const NONE = { ...PASS, dkim: 'none', aligned: false }
const CLINIC = 'desk@clinic.example'
const MEMBER = 'ana@family.example'

type Mail = {
  id: string
  from?: string
  isProven?: boolean
  /** Whom a member's mail was from before they forwarded it. */
  original?: string
  isMembers?: boolean
  subject?: string
  names?: string[]
  replies?: { messageId: string; to: string }[]
  messageId?: string
}

function conversations(...mails: Mail[]): string[] {
  const arrived = mails.map((mail, minute) => toArrived(mail, minute))
  const groups = Map.groupBy(simulateJoins(arrived), ([, conversation]) => conversation)
  return [...groups.values()].map((members) => members.map(([id]) => id).join(' '))
}

function toArrived(
  { id, from = CLINIC, isProven = true, names = [], replies = [], ...mail }: Mail,
  minute: number,
): Arrived {
  const { original, isMembers = original !== undefined, subject = 'Results', messageId = `<${id}@x>` } = mail
  return {
    row: {
      _id: id,
      workspaceId: 'ws',
      lovedOneId: 'lo',
      receivedAt: new Date(Date.UTC(2026, 4, 12, 10, minute)),
      messageIdHeader: messageId,
      inReplyTo: names.at(-1),
      references: names,
      subject,
      from: { name: '', address: from },
      ...(original !== undefined && { originalSender: { name: '', address: original }, forwardedByMember: true }),
      ...(isMembers && { sentByMember: true }),
      authenticity: isProven ? PASS : NONE,
    } as Arrived['row'],
    replies,
  }
}

const a: Mail = { id: 'a' }
const answer: Mail = { id: 'b', names: ['<a@x>'] }

test('a clinic’s verified answer joins, from any address of its domain', (t) => {
  t.deepEqual(conversations(a, answer), ['a b'])
  t.deepEqual(conversations(a, { ...answer, from: 'billing@clinic.example' }), ['a b'])
  t.deepEqual(conversations({ ...a, from: 'dr@gmail.com' }, { ...answer, from: 'dr@gmail.com' }), ['a b'])
})

test('nobody else joins it, whatever they name', (t) => {
  t.deepEqual(conversations(a, { ...answer, isProven: false }), ['a', 'b'], 'a forged From')
  t.deepEqual(conversations(a, { ...answer, from: 'desk@evil.example' }), ['a', 'b'], 'their own From')
  t.deepEqual(conversations(a, { ...answer, from: 'x@evil.example', messageId: '<a@x>' }), ['a', 'b'], 'its Message-ID')
  t.deepEqual(conversations(a, { ...answer, isProven: false, messageId: '<a@x>' }), ['a', 'b'])
  t.deepEqual(conversations(a, { id: 'b', isProven: false, subject: 'Re: Results' }), ['a', 'b'], 'a subject')
  const gmail = { ...a, from: 'dr@gmail.com' }
  t.deepEqual(
    conversations(gmail, { ...answer, from: 'evil@gmail.com' }),
    ['a', 'b'],
    'the domain of a public provider',
  )
})

test('what a stranger sent before does not join the clinic’s later mail either', (t) => {
  const forged = { id: 'f', isProven: false, names: ['<a@x>'] }
  t.deepEqual(conversations(forged, a, answer), ['f', 'a b'])
  t.deepEqual(conversations(a, forged, answer), ['a b', 'f'])
  t.deepEqual(conversations(a, { ...forged, messageId: '<a@x>' }, answer), ['a b', 'f'])
})

test('a small clinic that proves nothing joins by reference from the same address, and nothing else does', (t) => {
  const small = { ...a, isProven: false }
  t.deepEqual(conversations(small, { ...answer, isProven: false }), ['a b'])
  t.deepEqual(conversations(small, { ...answer, isProven: false, from: 'billing@clinic.example' }), ['a', 'b'])
  t.deepEqual(conversations(small, { id: 'b', isProven: false, subject: 'Re: Results' }), ['a', 'b'])
  t.deepEqual(conversations({ ...small, from: '' }, { ...answer, isProven: false, from: '' }), ['a', 'b'])
})

const reply = { messageId: '<ours@inbox>', to: 'portal@vendor.example' }
const toOurs: Mail = { id: 'b', names: ['<ours@inbox>'], from: 'help@vendor.example' }

test('whom our reply went to answers it, provably', (t) => {
  t.deepEqual(conversations({ ...a, replies: [reply] }, toOurs), ['a b'])
  t.deepEqual(conversations({ ...a, isProven: false, replies: [reply] }, toOurs), ['a b'])
  t.deepEqual(conversations({ ...a, replies: [reply] }, { ...toOurs, isProven: false, from: reply.to }), ['a', 'b'])
  t.deepEqual(conversations({ ...a, replies: [reply] }, { ...toOurs, from: 'x@evil.example' }), ['a', 'b'])
})

test('if nobody has proven anything, the address that our reply went to is enough', (t) => {
  const small = { ...a, isProven: false, replies: [reply] }
  t.deepEqual(conversations(small, { ...toOurs, isProven: false, from: reply.to }), ['a b'])
  t.deepEqual(conversations(small, { ...toOurs, isProven: false }), ['a', 'b'])
  const forwarded = { id: 'a', from: MEMBER, original: CLINIC, replies: [{ ...reply, to: CLINIC }] }
  t.deepEqual(conversations(forwarded, { ...toOurs, isProven: false, from: CLINIC }), ['a b'])
  t.deepEqual(conversations(forwarded, { id: 'b', isProven: false, names: ['<a@x>'] }), ['a', 'b'], 'not our reply')
})

test('once a verified answer has come, mail that proves nothing stays out', (t) => {
  const small = { ...a, isProven: false, replies: [reply] }
  const later = { id: 'c', isProven: false, names: ['<a@x>'] }
  t.deepEqual(conversations(small, toOurs, later), ['a b', 'c'])
})

test('a member’s own mail and forward join what they name, and bring nobody else', (t) => {
  const forward = { id: 'm', from: MEMBER, original: 'lab@lab.example', names: ['<a@x>'] }
  t.deepEqual(conversations(a, forward), ['a m'])
  t.deepEqual(conversations(a, { id: 'm', from: MEMBER, isMembers: true, names: ['<a@x>'] }), ['a m'])
  t.deepEqual(conversations({ ...a, isProven: false }, forward), ['a m'])
  t.deepEqual(conversations(a, { ...forward, original: undefined, isMembers: false }), ['a', 'm'], 'a viewer’s')
  const copy = { id: 's', from: 'x@evil.example', messageId: '<a@x>' }
  t.deepEqual(conversations(a, copy, forward), ['a m', 's'])
  t.deepEqual(conversations(a, forward, { ...copy, names: ['<m@x>'], from: 'boss@family.example' }), ['a m', 's'])
})

test('a member’s forward of the clinic’s mail and the clinic’s own mail belong together', (t) => {
  t.deepEqual(conversations({ id: 'm', from: MEMBER, original: CLINIC }, { id: 'b', names: ['<m@x>'] }), ['m b'])
})

test('an answer that names nothing joins the newest mail of that subject', (t) => {
  const bare = { id: 'r', subject: 'Re: Results' }
  t.deepEqual(conversations(a, { id: 'n' }, bare), ['a', 'n r'])
  t.deepEqual(conversations(a, { id: 'n' }, bare, { id: 'x' }, { ...bare, id: 's' }), ['a', 'n r', 'x s'])
  t.deepEqual(conversations(bare, { ...bare, id: 's' }), ['r s'])
  t.deepEqual(conversations(a, { ...bare, from: 'billing@clinic.example' }), ['a', 'r'])
})
