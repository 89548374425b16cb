import type { TimelineEvent } from './event.ts'

/** How far into one loved one's events a reader is: the page, and how many of its events they have seen. */
export type Place = { lovedOneId: string; pageToken: string; seen: number }

/** One page of one loved one's events, newest first. */
export type EventPage = { place: Place; events: TimelineEvent[]; nextPageToken: string }

export type MergedPage = {
  events: TimelineEvent[]
  /** What was read already of what follows, which tells silences apart from the end of a page. */
  following: TimelineEvent[]
  /** Where the next page goes on; empty on the last. Loved ones of whom nothing follows are not in it. */
  next: Place[]
}

/**
 * Makes one page of several loved ones' events, newest first, each event on one page only.
 * @param limit the most events on it; it is shorter when a loved one's next page must be read before it can be told what follows
 */
export function mergePages(pages: EventPage[], limit: number): MergedPage {
  const lists = pages.map(({ place, events, nextPageToken }) => ({ place, events, nextPageToken, at: place.seen }))
  const merged: TimelineEvent[] = []
  while (merged.length < limit) {
    const isUnread = lists.some(({ at, events, nextPageToken }) => at >= events.length && nextPageToken !== '')
    if (isUnread && merged.length > 0) break
    const newest = lists
      .filter(({ at, events }) => at < events.length)
      .toSorted((a, b) => timeOf(b.events[b.at]) - timeOf(a.events[a.at]))[0]
    const event = newest?.events[newest.at]
    if (newest === undefined || event === undefined) break
    merged.push(event)
    newest.at += 1
  }
  const following = lists.flatMap(({ events, at }) => events.slice(at))
  return {
    events: merged,
    following: following.toSorted((a, b) => timeOf(b) - timeOf(a)),
    next: lists.flatMap(({ place, events, at, nextPageToken }) => {
      if (at < events.length) return [{ ...place, seen: at }]
      return nextPageToken === '' ? [] : [{ ...place, pageToken: nextPageToken, seen: 0 }]
    }),
  }
}

/** Places as an address holds them: opaque, and nothing in them but ids and times. */
export function writePlaces(places: Place[]): string {
  if (places.length === 0) return ''
  const rows = places.map(({ lovedOneId, pageToken, seen }) => [lovedOneId, pageToken, seen])
  return Buffer.from(JSON.stringify(rows)).toString('base64url')
}

/** Reads what `writePlaces` wrote; undefined for anything else. */
export function readPlaces(text: string): Place[] | undefined {
  try {
    const rows = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(rows) && rows.length > 0 ? rows.map(readPlace) : undefined
  } catch {
    return undefined
  }
}

function readPlace(row: unknown): Place {
  const [lovedOneId, pageToken, seen] = Array.isArray(row) ? row : []
  if (typeof lovedOneId !== 'string' || typeof pageToken !== 'string') throw new TypeError('not a place')
  if (!Number.isInteger(seen) || seen < 0) throw new TypeError('not a place')
  return { lovedOneId, pageToken, seen }
}

function timeOf(event: TimelineEvent | undefined): number {
  return event?.occurredAt.getTime() ?? 0
}
