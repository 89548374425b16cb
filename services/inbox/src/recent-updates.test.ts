import test from 'ava'
import { rememberUpdates } from './recent-updates.ts'

function scene() {
  const clock = { ms: 1000.5 }
  return { clock, updates: rememberUpdates(() => clock.ms) }
}

test('a list is up to date until its family gets an update, whatever other families get', (t) => {
  const { clock, updates } = scene()
  updates.heard('wsp_silva')
  clock.ms += 0.1
  const asOf = updates.now()
  clock.ms += 1
  updates.heard('wsp_costa')
  t.true(updates.isUnchanged('wsp_silva', asOf))
  updates.heard('wsp_silva')
  t.false(updates.isUnchanged('wsp_silva', asOf))
  clock.ms += 1
  t.true(updates.isUnchanged('wsp_silva', updates.now()))
})

test('an update at the very moment in which a list was read counts as a later one', (t) => {
  const { updates } = scene()
  const asOf = updates.now()
  updates.heard('wsp_silva')
  t.false(updates.isUnchanged('wsp_silva', asOf))
})

test('after a minute, a break, or from another process, nothing is known to be up to date', (t) => {
  const { clock, updates } = scene()
  const asOf = updates.now()
  t.false(scene().updates.isUnchanged('wsp_silva', asOf))
  clock.ms += 59_999
  t.true(updates.isUnchanged('wsp_silva', asOf))
  clock.ms += 1
  t.false(updates.isUnchanged('wsp_silva', asOf))
  const beforeBreak = updates.now()
  updates.mayHaveMissed()
  t.false(updates.isUnchanged('wsp_silva', beforeBreak))
  for (const nonsense of ['', '/', beforeBreak.replace(/\/.*/, '/x'), beforeBreak.replace(/\/.*/, '/'), '9'.repeat(50)])
    t.false(updates.isUnchanged('wsp_silva', nonsense), nonsense)
})

test('a family without an update for a minute takes no memory', (t) => {
  const { clock, updates } = scene()
  const asOf = updates.now()
  for (let index = 0; index < 1000; index += 1) updates.heard(`wsp_${index}`)
  clock.ms += 61_000
  updates.heard('wsp_silva')
  t.false(updates.isUnchanged('wsp_0', asOf))
  t.true(updates.isUnchanged('wsp_0', updates.now()))
})
