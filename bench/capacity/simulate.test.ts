import test from 'ava'
import { startAutoscaler } from './autoscaler.ts'
import { missedGoal, simulateDay } from './simulate.ts'
import { AS_DELIVERED, type System } from './system.ts'

const AMPLE: System = {
  minReplicas: 1e4,
  maxReplicas: 1e5,
  shards: 1000,
  mongodCores: 16,
  diskBytes: 1e15,
  storesFilesElsewhere: false,
  notificationsPerReplica: 100,
  sentPerReplica: 100,
  partitions: 10,
  streamPerSecond: 4000,
  natsCores: 100,
}

test('a thousand families have a good day with the manifests as they are', (t) => {
  const day = simulateDay(1000, AS_DELIVERED)
  t.is(missedGoal(day), undefined)
  t.is(day.refused, 0)
  t.true(day.waited.notification <= 1)
})

test('each thing that runs short is named', (t) => {
  const families = 1e6
  const missed = (short: Partial<System>) => missedGoal(simulateDay(families, { ...AMPLE, ...short }))
  t.is(missed({}), undefined)
  t.is(missed({ diskBytes: 1e9 }), 'disk')
  t.is(missed({ shards: 1, diskBytes: 1e18 }), 'mongod')
  t.is(missed({ minReplicas: 10, maxReplicas: 10 }), 'replicas')
  t.is(missed({ minReplicas: 2 }), 'burst')
  t.is(missed({ notificationsPerReplica: 0.01 }), 'digests')
  t.is(missed({ sentPerReplica: 0.005 }), 'sending')
  t.is(missed({ streamPerSecond: 0.1, sentPerReplica: 1e6 }), 'streams')
})

test('the autoscaler doubles at most, stops at its limit, and waits ten quiet minutes before it takes one away', (t) => {
  const scaler = startAutoscaler({ minReplicas: 2, maxReplicas: 10 })
  const counts = (times: number, call: number) =>
    Array.from({ length: times }, () => {
      scaler.next({ call })
      return scaler.replicas.inbox
    })
  t.deepEqual(counts(4, 10_000), [4, 8, 10, 10])
  t.deepEqual(counts(12, 0), [10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 9, 8])
})
