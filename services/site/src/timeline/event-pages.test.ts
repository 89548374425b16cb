import test from 'ava'
import fc from 'fast-check'
import type { TimelineEvent } from './event.ts'
import { decodeCursors, type EventPage, encodeCursors, mergePages, type PageCursor } from './event-pages.ts'

const SERVED = 5

const lovedOne = (id: string) => ({ id, name: id, position: 0 })
const event = (id: string, time: number): TimelineEvent => ({
  id: `${id}-${time}`,
  type: 'note_added',
  lovedOne: lovedOne(id),
  occurredAt: new Date(time),
  receivedAt: new Date(time),
  source: '',
})

/** Pages through one loved one's events as the service does. */
function serve(all: TimelineEvent[], cursor: PageCursor): EventPage {
  const from = Number(cursor.pageToken || 0)
  const to = from + SERVED
  return { cursor, events: all.slice(from, to), nextPageToken: to < all.length ? `${to}` : '' }
}

test('page after page shows each event once, newest first', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.uniqueArray(fc.nat(200), { maxLength: 23 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 5 }),
      (times, limit) => {
        const lists = new Map(
          times.map((own, index) => [
            `lo_${index}`,
            own.toSorted((a, b) => b - a).map((time) => event(`lo_${index}`, time)),
          ]),
        )
        const read: TimelineEvent[] = []
        let cursors: PageCursor[] = [...lists.keys()].map((lovedOneId) => ({ lovedOneId, pageToken: '', skip: 0 }))
        while (cursors.length > 0) {
          const pages = cursors.map((cursor) => serve(lists.get(cursor.lovedOneId) ?? [], cursor))
          const { events, next } = mergePages(pages, limit)
          if (next.length > 0 && events.length === 0) throw new Error('an empty page')
          read.push(...events)
          cursors = decodeCursors(encodeCursors(next)) ?? []
        }
        const expected = [...lists.values()].flat()
        const at = read.map(({ occurredAt }) => occurredAt.getTime())
        t.deepEqual(
          at,
          at.toSorted((a, b) => b - a),
        )
        t.deepEqual(read.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort())
      },
    ),
    { numRuns: 60 },
  )
})

test('text that encodeCursors did not write is not decoded', (t) => {
  for (const text of [
    '',
    'x',
    'W10',
    Buffer.from('[[1,2,3]]').toString('base64url'),
    Buffer.from('[["a","",-1]]').toString('base64url'),
    Buffer.from('{"a":1}').toString('base64url'),
  ])
    t.is(decodeCursors(text), undefined, text)
})
