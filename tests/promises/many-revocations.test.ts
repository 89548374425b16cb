import { scaled } from '../_random.ts'
import { REVOCATIONS, revokeOften } from './_revocations.ts'
import { openTwoGateways } from './_two-gateways.ts'

// A thousand in total, or a quarter. A token costs a whole consent.
const test = openTwoGateways()

test('many revocations of keys hold from the next call on', (t) => revokeOften(t, scaled(60, 240), REVOCATIONS.key))

test('many revocations of tokens of apps hold from the next call on', (t) =>
  revokeOften(t, scaled(30, 120), REVOCATIONS.token))

test('many revocations of sessions hold from the next call on', (t) =>
  revokeOften(t, scaled(50, 200), REVOCATIONS.session))

test('many revocations of memberships hold from the next call on', (t) =>
  revokeOften(t, scaled(50, 200), REVOCATIONS.membership))

test('many revocations of roles hold from the next call on', (t) => revokeOften(t, scaled(60, 240), REVOCATIONS.role))
