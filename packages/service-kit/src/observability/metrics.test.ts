import test from 'ava'
import { register } from 'prom-client'
import { count, gauge, gauges } from './metrics.ts'

const never = () => new Promise<number>(() => {})
const valuesOf = async (name: string) => {
  const page = await register.getSingleMetricAsString(`family_inbox_${name}`)
  return page.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

test('a value that cannot be measured is absent, and a store that never answers does not hold up the page', async (t) => {
  gauge('test_never', 'Never measured.', never)
  gauge('test_broken', 'Fails.', () => Promise.reject(new Error('no')))
  gauge('test_fine', 'Fine.', async () => 7)
  t.deepEqual(await valuesOf('test_never'), [])
  t.deepEqual(await valuesOf('test_broken'), [])
  t.deepEqual(await valuesOf('test_fine'), ['family_inbox_test_fine 7'])
})

test('values with a label are measured each for themselves, and one that must not vanish has another value', async (t) => {
  const watch = gauges({ name: 'test_reached', help: 'Reached.', label: 'store', otherwise: 0 })
  watch('one', async () => 1)
  watch('two', never)
  watch('three', () => Promise.reject(new Error('no')))
  const reached = async () => (await valuesOf('test_reached')).sort()
  const line = (store: string, value: number) => `family_inbox_test_reached{store="${store}"} ${value}`
  t.deepEqual(await reached(), [line('one', 1), line('three', 0), line('two', 0)])
  watch('two', async () => 1)
  t.deepEqual(await reached(), [line('one', 1), line('three', 0), line('two', 1)])
})

test('a counter that an alarm watches is 0 before anything was counted', async (t) => {
  const counter = count({ name: 'test_total', help: 'Counted.', labels: ['outcome'], zero: [{ outcome: 'lost' }] })
  t.deepEqual(await valuesOf('test_total'), ['family_inbox_test_total{outcome="lost"} 0'])
  counter.inc({ outcome: 'lost' })
  t.deepEqual(await valuesOf('test_total'), ['family_inbox_test_total{outcome="lost"} 1'])
})
