import test from 'ava'
import { isInstitutionId, partnerNamesFor } from './institution-id.ts'

test('an institution id is found by itself and by the namespaces it lies in, the nearest first', (t) => {
  t.deepEqual(partnerNamesFor('sunrise.north.2'), ['sunrise.north.2', 'sunrise.north.', 'sunrise.'])
  t.deepEqual(partnerNamesFor('sunrise'), ['sunrise'])
  t.deepEqual(partnerNamesFor(''), [''])
})

test('a namespace is no institution id, so nobody can name one', (t) => {
  for (const id of ['sunrise', 'Sunrise_2', 'a', 'a.b-c', 'x'.repeat(100)]) t.true(isInstitutionId(id), id)
  for (const id of ['', 'sunrise.', '.sunrise', 'a b', 'ä', 'x'.repeat(101), 'a\n']) t.false(isInstitutionId(id), id)
})
