import { invalidArgument } from './status-error.ts'

/** @param size as requested; 0 means the default @throws StatusError INVALID_ARGUMENT outside 1 to `max` */
export function readPageSize(size: number, { byDefault, max }: { byDefault: number; max: number }): number {
  if (size === 0) return byDefault
  if (size >= 1 && size <= max) return size
  throw invalidArgument('limit', `limit must be a whole number from 1 to ${max}.`)
}

type Filter = Record<string, unknown>

/** The filter for the next page, newest first by `fields`, then by `_id`. @throws StatusError INVALID_ARGUMENT for a bad token */
export function olderThan(fields: string | readonly string[], pageToken: string): Filter {
  return beyond('$lt', [fields].flat(), pageToken)
}

export function newerThan(fields: string | readonly string[], pageToken: string): Filter {
  return beyond('$gt', [fields].flat(), pageToken)
}

/** Cuts a page from sorted documents read with `limit + 1`. The next page's token is empty on the last page. */
export function cutPage<Row extends { _id: string }>(
  rows: Row[],
  limit: number,
  timesOf: (row: Row) => Date | readonly Date[],
) {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { page, nextPageToken: last ? tokenAfter(last, timesOf(last)) : '' }
}

/** The token of the page that begins after this document. */
export function tokenAfter({ _id }: { _id: string }, times: Date | readonly Date[]): string {
  return encode([...[times].flat().map((time) => time.getTime()), _id])
}

function beyond(comparison: '$lt' | '$gt', fields: readonly string[], pageToken: string): Filter {
  if (pageToken === '') return {}
  const position = readPageToken(pageToken, fields.length)
  const keys = [...fields, '_id']
  const [first = ''] = keys
  return {
    [first]: { [`${comparison}e`]: position[0] },
    $or: keys.map((key, index) => ({
      ...Object.fromEntries(keys.slice(0, index).map((equal, at) => [equal, position[at]])),
      [key]: { [comparison]: position[index] },
    })),
  }
}

function encode(position: (number | string)[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

function readPageToken(token: string, times: number): (Date | string)[] {
  const position = parse(token)
  const values = Array.isArray(position) ? position : []
  const at = values.slice(0, times).map((time) => new Date(typeof time === 'number' ? time : Number.NaN))
  const id: unknown = values[times]
  if (at.length === times && at.every((time) => !Number.isNaN(time.getTime())) && typeof id === 'string')
    return [...at, id]
  throw invalidArgument('cursor', 'cursor must be the nextCursor of an earlier result.')
}

function parse(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString())
  } catch {
    return undefined
  }
}
