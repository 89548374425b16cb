import test from 'ava'
import fc from 'fast-check'
import type { TimelineEvent } from './event.ts'
import { type EventPage, mergePages, type Place, readPlaces, writePlaces } from './merge-pages.ts'

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

/** Serves one loved one's events as the service does: so many at once, and a token for what follows. */
function serve(all: TimelineEvent[], place: Place): EventPage {
  const from = Number(place.pageToken || 0)
  const to = from + SERVED
  return { place, events: all.slice(from, to), nextPageToken: to < all.length ? `${to}` : '' }
}

test('whoever reads page after page sees each event once, newest first', (t) => {
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
        let places: Place[] = [...lists.keys()].map((lovedOneId) => ({ lovedOneId, pageToken: '', seen: 0 }))
        while (places.length > 0) {
          const pages = places.map((place) => serve(lists.get(place.lovedOneId) ?? [], place))
          const { events, next } = mergePages(pages, limit)
          if (next.length > 0 && events.length === 0) throw new Error('a page without anything on it')
          read.push(...events)
          places = readPlaces(writePlaces(next)) ?? []
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

test('an address that is none of ours names no places', (t) => {
  for (const text of [
    '',
    'x',
    'W10',
    Buffer.from('[[1,2,3]]').toString('base64url'),
    Buffer.from('[["a","",-1]]').toString('base64url'),
    Buffer.from('{"a":1}').toString('base64url'),
  ])
    t.is(readPlaces(text), undefined, text)
})
