import test from 'ava'
import { type HeardRow, heardFrom, wroteTo } from './correspondent.ts'

const AT = new Date('2026-11-20T10:00:00Z')
const PROVEN = { spf: 'pass', dkim: 'pass', dmarc: 'pass', arc: 'none', aligned: true } as NonNullable<
  HeardRow['authenticity']
>
const row = (more: Partial<HeardRow> = {}): HeardRow => ({
  workspaceId: 'ws_1',
  receivedAt: AT,
  category: 'results',
  from: { name: 'Desk', address: 'Desk@Clinic.example' },
  authenticity: PROVEN,
  ...more,
})

test('a proven sender is entered with the name of the newest mail', (t) => {
  t.deepEqual(heardFrom(row())?.updateOne, {
    filter: { _id: 'ws_1/desk@clinic.example' },
    update: {
      $set: { isProven: true, name: 'Desk' },
      $max: { lastAt: AT },
      $setOnInsert: { workspaceId: 'ws_1', address: 'desk@clinic.example' },
    },
    upsert: true,
  })
})

test('of mail that a member forwarded, its author is entered, and never the member', (t) => {
  const author = { name: 'Dr. Matos', address: 'matos@clinic.example' }
  const forwarded = heardFrom(row({ originalSender: author, forwardedByMember: true, sentByMember: true }))
  t.is(forwarded?.updateOne.filter._id, 'ws_1/matos@clinic.example')
  t.is(heardFrom(row({ sentByMember: true })), undefined)
})

test('mail that proves nothing, programs and mailboxes that nobody reads are left out', (t) => {
  t.is(
    heardFrom(row({ authenticity: { ...PROVEN, dmarc: 'none', dkim: 'none', spf: 'none', aligned: false } })),
    undefined,
  )
  t.is(heardFrom(row({ category: 'automated' })), undefined)
  for (const address of [
    'no-reply@x.example',
    'NoReply@x.example',
    'do-not-reply@x.example',
    'mailer-daemon@x.example',
  ])
    t.is(heardFrom(row({ from: { name: '', address } })), undefined, address)
  t.truthy(heardFrom(row({ from: { name: '', address: 'nora@x.example' } })))
})

test('whom the family wrote to is entered without a name, and keeps one', (t) => {
  const { update } = wroteTo({ workspaceId: 'ws_1', to: 'dr@x.example', createdAt: AT }).updateOne
  t.deepEqual(update.$set, {})
  t.is(update.$setOnInsert.name, '')
})
