import { DAY_MS } from '@family-inbox/service-kit/time/days'
import test from 'ava'
import { backupName, madeAt, namesToDelete } from './keep.ts'

test('the name of a backup says when it was made, to the second', (t) => {
  const at = new Date('2026-11-27T03:30:05Z')
  t.is(backupName(at), '2026-11-27T033005Z.tar.gz.age')
  t.deepEqual(madeAt(backupName(at)), at)
  for (const name of ['status.json', '.making', '2026-11-27', `${backupName(at)}.part`]) t.is(madeAt(name), undefined)
})

test('after a year of nights there are seven days, four weeks and six months', (t) => {
  const last = new Date('2026-11-27T03:30:00Z').getTime()
  let kept: string[] = []
  for (let night = 365; night >= 0; night -= 1) {
    kept.push(backupName(new Date(last - night * DAY_MS)))
    const gone = namesToDelete(kept)
    kept = kept.filter((name) => !gone.includes(name))
  }
  t.deepEqual(
    kept.map((name) => name.slice(0, 10)),
    [
      ...['2026-06-30', '2026-07-31', '2026-08-31', '2026-09-30', '2026-10-31', '2026-11-08', '2026-11-15'],
      ...['2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24', '2026-11-25', '2026-11-26', '2026-11-27'],
    ],
  )
})

test('of several backups on one day the last one stays, and other files are left alone', (t) => {
  const [first, second] = ['2026-11-27T033000Z.tar.gz.age', '2026-11-27T220000Z.tar.gz.age']
  t.deepEqual(namesToDelete(['notes.txt', second, first]), [first])
  t.deepEqual(namesToDelete(['notes.txt']), [])
})

test('a server that was off for months deletes nothing of what is left from before', (t) => {
  const names = ['2026-01-03', '2026-02-07', '2026-11-27'].map((day) => `${day}T033000Z.tar.gz.age`)
  t.deepEqual(namesToDelete(names), [])
})
