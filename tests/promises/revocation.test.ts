import { REVOCATIONS, revokeOften } from './_revocations.ts'
import { openTwoGateways } from './_two-gateways.ts'

const test = openTwoGateways()

test('a revoked key stops working', (t) => revokeOften(t, 16, REVOCATIONS.key))

test('a disconnected app’s token stops working, whoever disconnected it', (t) => revokeOften(t, 8, REVOCATIONS.token))

test('a signed-out session stops working', (t) => revokeOften(t, 16, REVOCATIONS.session))

test('a person who was removed from a family, or left it, can no longer read it', (t) =>
  revokeOften(t, 16, REVOCATIONS.membership))

test('a coordinator who became a viewer can no longer write', (t) => revokeOften(t, 16, REVOCATIONS.role))
