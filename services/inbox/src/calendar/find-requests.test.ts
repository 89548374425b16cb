import test from 'ava'
import { invitedAddress } from './find-requests.ts'

test('the address that the mail was sent to answers, else the only one, else nobody knows', (t) => {
  const mailbox = (address: string) => ({ name: '', address })
  const attendees = ['rosa@example.org', 'tom@example.org'].map(mailbox)
  t.is(invitedAddress({ attendees }, { to: [mailbox('Tom@Example.org')] }), 'tom@example.org')
  t.is(invitedAddress({ attendees }, { to: [mailbox('inbox@family-inbox.test')] }), undefined)
  t.is(invitedAddress({ attendees }, { to: attendees }), undefined)
  t.is(invitedAddress({ attendees: attendees.slice(1) }, { to: [] }), 'tom@example.org')
})
