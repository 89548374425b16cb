import test from 'ava'
import { carryTo, readCarried } from './carried.ts'
import type { Session } from './session.ts'
import type { Visit } from './visit.ts'

const ana = { personId: 'per_ana' } as Session
const at = (path: string, carried: string) => ({ path, cookies: { carried } }) as Visit

test('what a form carries reaches one page, for the person who sent the form', (t) => {
  const { value = '' } = carryTo('/care-circle/invited', ana, { email: 'zoé@example.org' })
  t.deepEqual(readCarried(at('/care-circle/invited', value), ana), { email: 'zoé@example.org' })
  t.is(readCarried(at('/welcome', value), ana), undefined)
  t.is(readCarried(at('/care-circle/invited', value), { ...ana, personId: 'per_tom' }), undefined)
  for (const forged of ['', 'x', Buffer.from('{"data":1}').toString('base64url')])
    t.is(readCarried(at('/welcome', forged), ana), undefined)
})
