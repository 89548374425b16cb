import test from 'ava'
import { type Command, routeOf } from './route.ts'

const byWorkspace = { workspaceId: 1 } as const
const byId = { _id: 1 } as const
const find = (filter: Command['filter']): Command => ({ name: 'find', filter })
const updateOne = (filter: Command['filter']): Command => ({ name: 'update', filter, isSingle: true })

test('a query with the family goes to one shard, with several families to a few, and without to all', (t) => {
  t.is(routeOf(byWorkspace, find({ workspaceId: 'wsp_1', status: 'open' })), 'one')
  t.is(routeOf(byWorkspace, find({ workspaceId: { $in: ['wsp_1'] } })), 'one')
  t.is(routeOf(byWorkspace, find({ workspaceId: { $in: ['wsp_1', 'wsp_2'] } })), 'few')
  t.is(routeOf(byWorkspace, find({ dueAt: { $lte: { $date: '2026-01-01' } } })), 'all')
  t.is(routeOf(byWorkspace, find({ workspaceId: { $ne: 'wsp_1' } })), 'all')
  t.is(routeOf(byWorkspace, find({})), 'all')
})

test('a query by an id that begins with the family goes to one shard where the id is the key', (t) => {
  t.is(routeOf(byId, find({ _id: 'wsp_1/lov_1/msg_1' })), 'one')
  t.is(routeOf(byId, find({ _id: { $in: ['wsp_1/lov_1/a', 'wsp_1/lov_2/b'] } })), 'one')
  t.is(routeOf(byId, find({ _id: { $in: ['wsp_1/a', 'wsp_2/b'] } })), 'few')
  t.is(routeOf(byId, find({ _id: { $gte: 'wsp_1/', $lt: 'wsp_10' } })), 'one')
  t.is(routeOf(byId, find({ _id: { $gt: '' } })), 'all')
  t.is(routeOf({ _id: 'hashed' }, find({ _id: { $gte: 'wsp_1/', $lt: 'wsp_10' } })), 'all')
})

test('every branch of an $or must name the family, and one part of an $and', (t) => {
  t.is(routeOf(byWorkspace, find({ $or: [{ workspaceId: 'a', x: 1 }, { workspaceId: 'b' }] })), 'few')
  t.is(routeOf(byWorkspace, find({ $or: [{ workspaceId: 'a' }, { x: 1 }] })), 'all')
  t.is(routeOf(byWorkspace, find({ $and: [{ x: 1 }, { workspaceId: 'a' }] })), 'one')
  t.is(routeOf(byWorkspace, find({ workspaceId: 'a', $or: [{ x: 1 }, { y: 1 }] })), 'one')
})

test('a change of one row by its id alone goes to all shards; anything looser is slow, and was refused before MongoDB 7', (t) => {
  t.is(routeOf(byWorkspace, updateOne({ _id: 'note_1' })), 'all')
  t.is(routeOf(byWorkspace, updateOne({ workspaceId: 'a', state: 'waiting' })), 'one')
  t.is(routeOf(byWorkspace, updateOne({ state: 'waiting' })), 'slow')
  t.is(routeOf(byWorkspace, { ...updateOne({ _id: 'note_1' }), isUpsert: true }), 'slow')
  t.is(routeOf(byWorkspace, { ...updateOne({ _id: 'note_1' }), name: 'findAndModify' }), 'slow')
  t.is(routeOf(byWorkspace, { name: 'update', filter: { state: 'waiting' } }), 'all')
})

test('a key of several fields is found by its first one', (t) => {
  const key = { institutionId: 1, subjectRef: 1 } as const
  t.is(routeOf(key, find({ institutionId: 'i', subjectRef: 's' })), 'one')
  t.is(routeOf(key, find({ workspaceId: 'wsp_1' })), 'all')
})
