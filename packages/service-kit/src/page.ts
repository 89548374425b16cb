import { invalidArgument } from './status-error.ts'

/**
 * The number of rows a page holds.
 * @param size what was asked; 0 stands for the default
 * @throws StatusError INVALID_ARGUMENT outside 1 to `max`
 */
export function readPageSize(size: number, { byDefault, max }: { byDefault: number; max: number }): number {
  if (size === 0) return byDefault
  if (size >= 1 && size <= max) return size
  throw invalidArgument('limit', `limit must be a whole number from 1 to ${max}.`)
}

/**
 * The filter for the rows after the place a page token names, newest first by `field`, then `_id`.
 * @throws StatusError INVALID_ARGUMENT for a token cutPage did not write
 */
export function olderThan(field: string, pageToken: string): Record<string, unknown> {
  if (pageToken === '') return {}
  const [time, id] = readPageToken(pageToken)
  return { [field]: { $lte: time }, $or: [{ [field]: { $lt: time } }, { _id: { $lt: id } }] }
}

/**
 * Cuts a page from rows read newest first, of which one more than `limit` was asked for.
 * @param timeOf the time the rows are sorted by
 * @returns the page and the opaque token of the next one, empty on the last
 */
export function cutPage<Row extends { _id: string }>(rows: Row[], limit: number, timeOf: (row: Row) => Date) {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  const nextPageToken = last ? encode([timeOf(last).getTime(), last._id]) : ''
  return { page, nextPageToken }
}

function encode(place: [number, string]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

function readPageToken(token: string): [Date, string] {
  const place = parse(token)
  const [time, id] = Array.isArray(place) ? place : []
  const at = new Date(typeof time === 'number' ? time : Number.NaN)
  if (!Number.isNaN(at.getTime()) && typeof id === 'string') return [at, id]
  throw invalidArgument('cursor', 'cursor must be the nextCursor of an earlier answer.')
}

function parse(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString())
  } catch {
    return undefined
  }
}
