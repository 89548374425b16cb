import { createSecretKey, randomBytes } from 'node:crypto'
import test from 'ava'
import { invitationToken } from './find-invitation.ts'

const key = createSecretKey(randomBytes(32))

test('a token is stable for one mail and differs by mail, invitation and key', (t) => {
  const token = invitationToken(key, 'inv_1', 1)
  t.is(invitationToken(key, 'inv_1', 1), token)
  const others = [
    invitationToken(key, 'inv_1', 2),
    invitationToken(key, 'inv_2', 1),
    invitationToken(createSecretKey(randomBytes(32)), 'inv_1', 1),
  ]
  t.is(new Set([token, ...others]).size, 4)
})

test('a token is 52 URL-safe characters', (t) => {
  for (let n = 0; n < 200; n++) t.regex(invitationToken(key, 'inv_1', n), /^[0-9a-v]{52}$/)
})
