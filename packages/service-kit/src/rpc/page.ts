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

type Filter = Record<string, unknown>

/**
 * The filter for the rows after the place a page token names, newest first by the times in `fields`, then by `_id`.
 * @param fields one field, or several of which each decides when those before it are equal
 * @throws StatusError INVALID_ARGUMENT for a token cutPage did not write
 */
export function olderThan(fields: string | readonly string[], pageToken: string): Filter {
  return beyond('$lt', [fields].flat(), pageToken)
}

/** Like olderThan, for rows read oldest first. */
export function newerThan(fields: string | readonly string[], pageToken: string): Filter {
  return beyond('$gt', [fields].flat(), pageToken)
}

/**
 * Cuts a page from rows read in order, of which one more than `limit` was asked for.
 * @param timesOf the time, or times, the rows are sorted by
 * @returns the page and the opaque token of the next one, empty on the last
 */
export function cutPage<Row extends { _id: string }>(
  rows: Row[],
  limit: number,
  timesOf: (row: Row) => Date | readonly Date[],
) {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  const nextPageToken = last ? encode([...[timesOf(last)].flat().map((time) => time.getTime()), last._id]) : ''
  return { page, nextPageToken }
}

function beyond(comparison: '$lt' | '$gt', fields: readonly string[], pageToken: string): Filter {
  if (pageToken === '') return {}
  const place = readPageToken(pageToken, fields.length)
  const keys = [...fields, '_id']
  // The bound on the first field lets the index begin at the place; the rest decides between rows of one time.
  const [first = ''] = keys
  return {
    [first]: { [`${comparison}e`]: place[0] },
    $or: keys.map((key, index) => ({
      ...Object.fromEntries(keys.slice(0, index).map((equal, at) => [equal, place[at]])),
      [key]: { [comparison]: place[index] },
    })),
  }
}

function encode(place: (number | string)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

function readPageToken(token: string, times: number): (Date | string)[] {
  const place = parse(token)
  const values = Array.isArray(place) ? place : []
  const at = values.slice(0, times).map((time) => new Date(typeof time === 'number' ? time : Number.NaN))
  const id: unknown = values[times]
  if (at.length === times && at.every((time) => !Number.isNaN(time.getTime())) && typeof id === 'string')
    return [...at, id]
  throw invalidArgument('cursor', 'cursor must be the nextCursor of an earlier answer.')
}

function parse(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString())
  } catch {
    return undefined
  }
}
