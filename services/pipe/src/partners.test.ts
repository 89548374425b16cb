import test from 'ava'
import { isInstitutionId, partnerNamesFor } from './partners.ts'

test('an institution id matches its own name and its namespaces, nearest first', (t) => {
  t.deepEqual(partnerNamesFor('sunrise.north.2'), ['sunrise.north.2', 'sunrise.north.', 'sunrise.'])
  t.deepEqual(partnerNamesFor('sunrise'), ['sunrise'])
  t.deepEqual(partnerNamesFor(''), [''])
})

test('a namespace is not a valid institution id', (t) => {
  for (const id of ['sunrise', 'Sunrise_2', 'a', 'a.b-c', 'x'.repeat(100)]) t.true(isInstitutionId(id), id)
  for (const id of ['', 'sunrise.', '.sunrise', 'a b', 'ä', 'x'.repeat(101), 'a\n']) t.false(isInstitutionId(id), id)
})
