import test from 'ava'
import { planFor } from './plan.ts'

const total = (families: number, filesElsewhere: boolean) =>
  Object.values(planFor(families, filesElsewhere).money).reduce((sum, part) => sum + part, 0)

test('a hundred times as many families need a hundred times the mail and the bytes', (t) => {
  const [some, many] = [planFor(1e5), planFor(1e7)]
  t.true(Math.abs(many.peaks.mail / some.peaks.mail - 100) < 1e-6)
  t.true(Math.abs(many.storedBytes / some.storedBytes - 100) < 1e-6)
  t.true(many.shards > some.shards && some.shards >= 1)
})

test('few families need the least that is safe: one replica set of three, and three NATS servers', (t) => {
  const { shards, vcpus } = planFor(10)
  t.deepEqual([shards, vcpus.mongod, vcpus.nats, vcpus.services], [1, 6, 3, 2])
})

test('a family costs less among many, and less again with its files in object storage', (t) => {
  t.true(total(1e5, false) / 1e5 < total(1e3, false) / 1e3)
  t.true(total(1e5, true) < total(1e5, false))
})
