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

function fieldAtFault(change: Partial<Parameters<typeof readStartRequest>[0]>): string {
  try {
    readStartRequest({ ...request, ...change })
    return 'none'
  } catch (error) {
    return error instanceof StatusError ? String(error.detail.field) : 'not a refusal'
  }
}

test('without a family name the last name makes one that says it is a sandbox, and loses that when it is claimed', (t) => {
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

test('an email is given back as supplied and compared in lower case', (t) => {
  const startRequest = readStartRequest({ ...request, primaryCaregiverEmail: 'Ana.Silva@Example.org' })
  t.is(startRequest.primaryCaregiverEmail, 'Ana.Silva@Example.org')
  t.is(startRequest.claimEmail, 'ana.silva@example.org')
})

test('names are counted as a person counts: 60 and 120 are taken, 61 and 121 are not', (t) => {
  for (const character of ['x', '漢', '👩‍👩‍👧‍👦', 'e\u0323\u0301']) {
    t.is(fieldAtFault({ lovedOneFirstName: character.repeat(60), lovedOneLastName: character.repeat(60) }), 'none')
    t.is(fieldAtFault({ lovedOneFirstName: character.repeat(61) }), 'lovedOneFirstName')
    t.is(fieldAtFault({ lovedOneLastName: character.repeat(61) }), 'lovedOneLastName')
    t.is(fieldAtFault({ familyName: character.repeat(120) }), 'none')
    t.is(fieldAtFault({ familyName: character.repeat(121) }), 'familyName')
  }
})

test('a name of nothing, of spaces, or with controls, line ends or bidi characters is refused by its name', (t) => {
  for (const bad of ['', '   ', '\u3000', 'Ro\0sa', 'Ro\nsa', 'Ro\u202esa', 'Ro\u2066sa', '\ufeff']) {
    t.is(fieldAtFault({ lovedOneFirstName: bad }), 'lovedOneFirstName', JSON.stringify(bad))
    t.is(fieldAtFault({ lovedOneLastName: bad }), 'lovedOneLastName', JSON.stringify(bad))
    if (bad !== '') t.is(fieldAtFault({ familyName: bad }), 'familyName', JSON.stringify(bad))
  }
})

test('an email that is empty or no address is refused by its name', (t) => {
  for (const bad of ['', 'ana', 'ana@silva', 'ana@silva.example, rui@silva.example'])
    t.is(fieldAtFault({ primaryCaregiverEmail: bad }), 'primaryCaregiverEmail', bad)
})
