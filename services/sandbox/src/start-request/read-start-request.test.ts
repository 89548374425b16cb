import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import { readStartRequest } from './read-start-request.ts'

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
