import type { Context } from '../context.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import { type TimelineEvent, toTimelineEvent } from './event.ts'
import { eventTypesOf, type Filter, sinceOf } from './filter.ts'

const PAGE_SIZE = 50

export type Start = { lovedOne: LovedOne; cursor: PageCursor }

/** Reads a page of each loved one's events, in one call. */
export async function readEventPages(
  ctx: Context,
  visit: Visit,
  { session }: Workspace,
  { starts, filter }: { starts: Start[]; filter: Filter },
): Promise<EventPage[]> {
  const [first] = starts
  if (first === undefined) return []
  const cursors = starts.map(({ cursor }) => cursor)
  const bounds = { since: sinceOf(filter, visit.clock.now), until: undefined, eventTypes: eventTypesOf(filter) }
  const person = asPerson(session, visit)
  const list = ({ lovedOneId, pageToken }: PageCursor, several?: { cursors: PageCursor[] }) =>
    ctx.careCircle.listCareEvents({ lovedOneId, pageToken, pageSize: PAGE_SIZE, ...bounds, several }, person)
  const { several } = await list(first.cursor, { cursors })
  // During an upgrade, an older care-circle answers for the first one only.
  const pages = several?.pages ?? (await Promise.all(cursors.map((cursor) => list(cursor))))
  return starts.map(({ lovedOne, cursor }, index) => {
    const { events = [], nextPageToken = '' } = pages[index] ?? {}
    return { cursor, events: events.flatMap((event) => toTimelineEvent(event, lovedOne)), nextPageToken }
  })
}

/** A position in one loved one's events: the page, and how many of its events to skip. */
export type PageCursor = { lovedOneId: string; pageToken: string; skip: number }

export type EventPage = { cursor: PageCursor; events: TimelineEvent[]; nextPageToken: string }

type MergedPage = {
  events: TimelineEvent[]
  /** Events already read for the next page, to tell a gap from the end of a page. */
  following: TimelineEvent[]
  next: PageCursor[]
}

/** Merges loved ones' events, newest first. A page ends before `limit` when a loved one's next page must be read first. */
export function mergePages(pages: EventPage[], limit: number): MergedPage {
  const lists = pages.map(({ cursor, events, nextPageToken }) => ({ cursor, events, nextPageToken, at: cursor.skip }))
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
    next: lists.flatMap(({ cursor, events, at, nextPageToken }) => {
      if (at < events.length) return [{ ...cursor, skip: at }]
      return nextPageToken === '' ? [] : [{ ...cursor, pageToken: nextPageToken, skip: 0 }]
    }),
  }
}

/** Where to start for each loved one. Drops cursors of anyone else, as the URL is untrusted. */
export function startCursors(cursors: PageCursor[] | undefined, lovedOnes: readonly LovedOne[]): Start[] {
  return lovedOnes.flatMap((lovedOne) => {
    if (cursors === undefined) return [{ lovedOne, cursor: { lovedOneId: lovedOne.id, pageToken: '', skip: 0 } }]
    const cursor = cursors.find(({ lovedOneId }) => lovedOneId === lovedOne.id)
    return cursor ? [{ lovedOne, cursor }] : []
  })
}

/** Encodes cursors for a URL. They hold only ids and page tokens. */
export function encodeCursors(cursors: PageCursor[]): string {
  if (cursors.length === 0) return ''
  const rows = cursors.map(({ lovedOneId, pageToken, skip }) => [lovedOneId, pageToken, skip])
  return Buffer.from(JSON.stringify(rows)).toString('base64url')
}

/** @returns undefined for anything `encodeCursors` did not write */
export function decodeCursors(text: string): PageCursor[] | undefined {
  try {
    const rows = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(rows) && rows.length > 0 ? rows.map(toCursor) : undefined
  } catch {
    return undefined
  }
}

function toCursor(row: unknown): PageCursor {
  const [lovedOneId, pageToken, skip] = Array.isArray(row) ? row : []
  if (typeof lovedOneId !== 'string' || typeof pageToken !== 'string') throw new TypeError('not a cursor')
  if (!Number.isInteger(skip) || skip < 0) throw new TypeError('not a cursor')
  return { lovedOneId, pageToken, skip }
}

function timeOf(event: TimelineEvent | undefined): number {
  return event?.occurredAt.getTime() ?? 0
}
