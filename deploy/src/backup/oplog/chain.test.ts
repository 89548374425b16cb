import test from 'ava'
import { positionText, readPosition, sliceName, slicesIn } from '../position.ts'
import { chainOf } from './chain.ts'

const START = Date.parse('2026-11-28T03:45:00Z') / 1000
const at = (seconds: number, i = 1) => ({ t: START + seconds, i })
const slice = (from: number, to: number) => sliceName({ from: at(from), to: at(to) })
const until = (seconds: number) => new Date((START + seconds) * 1000)

test('the name of a slice says where it begins and ends, and sorts by it', (t) => {
  t.is(slice(0, 60), '2026-11-28T034500Z.1_2026-11-28T034600Z.1.oplog.tar.gz.age')
  t.deepEqual(readPosition(positionText(at(7, 12))), at(7, 12))
  const found = slicesIn([slice(60, 120), 'status.json', `${slice(0, 60)}.part`, slice(0, 60)])
  t.deepEqual(
    found.map(({ from }) => from),
    [at(0), at(60)],
  )
})

test('the slices from a backup to a time follow one another', (t) => {
  const slices = slicesIn([slice(0, 60), slice(60, 120), slice(120, 180)])
  const names = (from: number, to: number) => chainOf(slices, at(from), until(to)).map(({ name }) => name)
  t.deepEqual(names(30, 100), [slice(0, 60), slice(60, 120)])
  t.deepEqual(names(60, 61), [slice(60, 120)], 'the entry of the backup itself is not needed')
  t.deepEqual(names(100, 50), [], 'nothing happened between')
})

test('a missing slice and a time after the last one are errors that say so', (t) => {
  const broken = slicesIn([slice(0, 60), slice(120, 180)])
  t.throws(() => chainOf(broken, at(0), until(150)), {
    message: /gap.*none begins at 2026-11-28T03:46:00.*backup from after/,
  })
  t.throws(() => chainOf(broken, at(120), until(200)), { message: /end at 2026-11-28T03:48:00/ })
  const overlapping = slicesIn([slice(0, 60), slice(30, 90)])
  t.throws(() => chainOf(overlapping, at(0), until(80)), undefined, 'of two chains, one is not continued by the other')
})
