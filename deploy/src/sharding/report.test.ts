import test from 'ava'
import { reportOf } from './report.ts'

test('commands are counted by collection and by how many shards they ask, and what asks all of them is shown without values', (t) => {
  const find = (filter: object) => ({ name: 'find', filter: filter as Record<string, unknown> })
  const lines = reportOf(
    [
      { name: 'inbox.notes', command: find({ workspaceId: 'wsp_secret' }), route: 'one' },
      { name: 'inbox.notes', command: find({ dueAt: 1, $or: [{ name: 'Ana' }, { at: 2 }] }), route: 'all' },
      { name: 'inbox.notes', command: find({ dueAt: 2, $or: [{ name: 'Tom' }, { at: 3 }] }), route: 'all' },
      { name: 'auth.sessions', command: { ...find({ _id: 'a' }), isUpsert: true }, route: 'slow' },
    ],
    new Map([['inbox.notes', 2]]),
  )
  t.deepEqual(lines.slice(1), [
    '| auth.sessions | 0 | 0 | 0 | 1 |',
    '| inbox.notes | 1 | 0 | 2 | 0 |',
    '| in all | 1 | 0 | 2 | 1 |',
    '\nWhat all shards are asked:',
    '     2  find inbox.notes {$or(at, name), dueAt}',
    '     1  slow find (upsert) auth.sessions {_id}',
    'inbox.notes: 2 rows without a shard key',
  ])
})
