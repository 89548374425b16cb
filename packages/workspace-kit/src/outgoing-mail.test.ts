import { createHash } from 'node:crypto'
import test from 'ava'
import { deriveMailId } from './outgoing-mail.ts'

test('every attempt at a mail has the same id, also after an upgrade', (t) => {
  const hash = createHash('sha256').update('mbx_1\nper_2\n3').digest('hex')
  t.is(deriveMailId('mailbox', ['mbx_1', 'per_2', 3]), `mailbox-${hash.slice(0, 32)}`)
})

test('mails of another kind, to another person, or about another time have other ids', (t) => {
  const ids = [
    deriveMailId('mailbox', ['mbx_1', 'per_2', 3]),
    deriveMailId('storage', ['mbx_1', 'per_2', 3]),
    deriveMailId('mailbox', ['mbx_1', 'per_1', 3]),
    deriveMailId('mailbox', ['mbx_1', 'per_2', 4]),
  ]
  t.is(new Set(ids).size, ids.length)
})
