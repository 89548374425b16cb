import test from 'ava'
import { withRevocation, withRotation } from './change-secrets.ts'
import { liveSecrets, type PartnerSecret } from './models/partner.ts'

const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1000)
const secret = (id: string, more: Partial<PartnerSecret> = {}): PartnerSecret => ({
  id,
  createdAt: at(0),
  sealed: 'x',
  ...more,
})
const idsOf = (secrets: PartnerSecret[], now: Date) => liveSecrets(secrets, now).map(({ id }) => id)

test('after a rotation both secrets are valid until the overlap ends, then only the new one', (t) => {
  const rotated = withRotation([secret('a')], secret('b'), 60_000, at(0))
  t.deepEqual(idsOf(rotated, at(59)), ['a', 'b'])
  t.deepEqual(idsOf(rotated, at(60)), ['b'])
  t.throws(() => withRotation(rotated, secret('c'), 60_000, at(59)), { message: /still valid until/ })
  t.deepEqual(idsOf(withRotation(rotated, secret('c'), 60_000, at(61)), at(62)), ['b', 'c'])
})

test('a revoked secret is no longer valid, and the remaining one keeps its own expiry', (t) => {
  const rotated = withRotation([secret('a')], secret('b'), 60_000, at(0))
  t.deepEqual(idsOf(withRevocation(rotated, 'a', at(1)), at(2)), ['b'])
  t.deepEqual(idsOf(withRevocation(rotated, 'b', at(1)), at(3600)), ['a'])
  t.throws(() => withRevocation([secret('a')], 'a', at(0)), { message: /only valid secret/ })
  t.throws(() => withRevocation(rotated, 'x', at(0)), { message: /no secret with this id/ })
  t.throws(() => withRevocation(rotated, 'b', at(61)), { message: /only valid secret/ })
})
