import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import { readCareContext, readInviteDrafts, readStartRequest } from './start-request.ts'

const request = {
  clientAddress: '203.0.113.7',
  lovedOneFirstName: 'Rosa',
  lovedOneLastName: 'Silva',
  familyName: '',
  careContext: '',
  familyMemberEmails: [],
}

function refusedField(change: Partial<Parameters<typeof readStartRequest>[0]>): string {
  try {
    readStartRequest({ ...request, ...change })
    return 'none'
  } catch (error) {
    return error instanceof StatusError ? String(error.detail.field) : 'not a refusal'
  }
}

test('the default family name comes from the last name, and drops "(sandbox)" after a claim', (t) => {
  const { lovedOneName, familyName, workspaceName, claimEmail } = readStartRequest(request)
  t.deepEqual(
    { lovedOneName, familyName, workspaceName, claimEmail },
    {
      lovedOneName: 'Rosa Silva',
      familyName: 'Silva family (sandbox)',
      workspaceName: 'Silva family',
      claimEmail: undefined,
    },
  )
  t.is(readStartRequest({ ...request, familyName: 'Casa Silva' }).workspaceName, 'Casa Silva')
})

test('an email is returned as sent and compared in lower case', (t) => {
  const startRequest = readStartRequest({ ...request, primaryCaregiverEmail: 'Ana.Silva@Example.org' })
  t.is(startRequest.primaryCaregiverEmail, 'Ana.Silva@Example.org')
  t.is(startRequest.claimEmail, 'ana.silva@example.org')
})

test('names are counted as a person counts: 60 and 120 pass, 61 and 121 do not', (t) => {
  for (const character of ['x', '漢', '👩‍👩‍👧‍👦', 'e\u0323\u0301']) {
    t.is(refusedField({ lovedOneFirstName: character.repeat(60), lovedOneLastName: character.repeat(60) }), 'none')
    t.is(refusedField({ lovedOneFirstName: character.repeat(61) }), 'lovedOneFirstName')
    t.is(refusedField({ lovedOneLastName: character.repeat(61) }), 'lovedOneLastName')
    t.is(refusedField({ familyName: character.repeat(120) }), 'none')
    t.is(refusedField({ familyName: character.repeat(121) }), 'familyName')
  }
})

test('an empty or blank name, or one with controls, line ends or bidi characters, is refused by field', (t) => {
  for (const bad of ['', '   ', '\u3000', 'Ro\0sa', 'Ro\nsa', 'Ro\u202esa', 'Ro\u2066sa', '\ufeff']) {
    t.is(refusedField({ lovedOneFirstName: bad }), 'lovedOneFirstName', JSON.stringify(bad))
    t.is(refusedField({ lovedOneLastName: bad }), 'lovedOneLastName', JSON.stringify(bad))
    if (bad !== '') t.is(refusedField({ familyName: bad }), 'familyName', JSON.stringify(bad))
  }
})

test('an empty or invalid email is refused by field', (t) => {
  for (const bad of ['', 'ana', 'ana@silva', 'ana@silva.example, rui@silva.example'])
    t.is(refusedField({ primaryCaregiverEmail: bad }), 'primaryCaregiverEmail', bad)
})

test('2,000 characters pass and 2,001 do not, as a person counts them', (t) => {
  for (const character of ['x', 'é', '漢', '👩‍👩‍👧‍👦', 'e\u0323\u0301']) {
    t.notThrows(() => readCareContext(character.repeat(2000)), character)
    const error = t.throws(() => readCareContext(character.repeat(2001)), { instanceOf: StatusError }, character)
    t.is(error?.detail.field, 'careContext')
  }
})

test('paragraphs, tabs, markup and right-to-left scripts stay unchanged', (t) => {
  const text = 'First.\n\n\t- <b>second</b>\nשלום \u200fعليكم'
  t.is(readCareContext(`  ${text}\n`), text)
  t.is(readCareContext('one\r\ntwo\rthree\u2028four'), 'one\ntwo\nthree\nfour')
})

test('control characters and direction overrides are refused', (t) => {
  for (const character of ['\0', '\u0007', '\u001b', '\u007f', '\u0085', '\u202e', '\u2066'])
    t.throws(() => readCareContext(`a${character}b`), { message: 'careContext must be plain text.' })
})

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
