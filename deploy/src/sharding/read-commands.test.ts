import test from 'ava'
import { commandsIn } from './read-commands.ts'

const line = (attr: object) => JSON.stringify({ s: 'I', msg: 'Slow query', attr })

test('reads, counts and changes are read from the log with what they look for', (t) => {
  const ns = 'abc_inbox.messages'
  const command = (content: object) => commandsIn(line({ type: 'command', ns, command: content }))
  t.deepEqual(command({ find: 'messages', filter: { workspaceId: 'a' } }), [
    { database: 'abc_inbox', collection: 'messages', name: 'find', filter: { workspaceId: 'a' } },
  ])
  t.like(command({ count: 'messages', query: { x: 1 } })[0], { name: 'count', filter: { x: 1 } })
  t.like(command({ findAndModify: 'messages', query: { _id: 1 }, upsert: true })[0], { isSingle: true, isUpsert: true })
  t.like(commandsIn(line({ type: 'update', ns, command: { q: { x: 1 }, multi: true } }))[0], {
    ...{ collection: 'messages', name: 'update', filter: { x: 1 }, isSingle: false, isUpsert: false },
  })
  t.like(commandsIn(line({ type: 'remove', ns, command: { q: { x: 1 }, limit: 1 } }))[0], {
    name: 'delete',
    isSingle: true,
  })
})

test('an aggregation also asks the collections that it adds', (t) => {
  const pipeline = [
    { $match: { workspaceId: 'a' } },
    { $unionWith: { coll: 'replies', pipeline: [{ $match: { messageRowId: 'm' } }] } },
  ]
  const found = commandsIn(line({ type: 'command', ns: 'i.notes', command: { aggregate: 'notes', pipeline } }))
  t.deepEqual(
    found.map(({ collection, filter }) => [collection, filter]),
    [
      ['notes', { workspaceId: 'a' }],
      ['replies', { messageRowId: 'm' }],
    ],
  )
})

test('what a test asks, and other lines, do not count', (t) => {
  const command = { find: 'messages', filter: {} }
  t.deepEqual(commandsIn(line({ type: 'command', ns: 'i.messages', appName: 'test', command })), [])
  t.deepEqual(commandsIn(line({ type: 'command', ns: 'i.messages', command: { insert: 'messages' } })), [])
  t.deepEqual(commandsIn(JSON.stringify({ msg: 'Connection accepted', attr: {} })), [])
})
