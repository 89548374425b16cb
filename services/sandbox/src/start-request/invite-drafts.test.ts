import test from 'ava'
import { readInviteDrafts } from './invite-drafts.ts'

const people = (count: number) => Array.from({ length: count }, (_, index) => `person${index}@silva.example`)

test('an address counts once, whatever its case, and keeps its first spelling', (t) => {
  t.deepEqual(
    readInviteDrafts(['Ana@Silva.example', ' ana@silva.example ', 'rui@silva.example', 'RUI@SILVA.EXAMPLE']),
    ['Ana@Silva.example', 'rui@silva.example'],
  )
})

test('eight different addresses pass, repetitions aside, and nine do not', (t) => {
  t.is(readInviteDrafts([...people(8), ...people(8).map((email) => email.toUpperCase())]).length, 8)
  t.throws(() => readInviteDrafts(people(9)), { message: /^familyMemberEmails must hold at most 8/ })
})

test('internationalized addresses are valid', (t) => {
  const emails = ['josé@café.example', '用户@例え.example']
  t.deepEqual(readInviteDrafts([...emails, 'josé@xn--caf-dma.example']), emails)
})

test('an invalid address is named by its position', (t) => {
  for (const bad of ['', 'ana', 'ana@', '@silva.example', 'a b@silva.example', 'ana@silva.example\r\nBcc: x@y.example'])
    t.throws(() => readInviteDrafts(['ana@silva.example', bad]), { message: /^familyMemberEmails\[1\] must be/ }, bad)
})
