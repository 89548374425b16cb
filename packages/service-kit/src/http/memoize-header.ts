import { LRUCache } from 'lru-cache'

const MAX_HEADERS = 1000
/** Browsers do not send longer values. */
const MAX_LENGTH = 500

/** Caches the parsed form of a header: browsers repeat a few values, and parsing one costs as much as sending a page. */
export function memoizeHeader<Result>(read: (header: string) => Result): (header: string) => Result {
  const known = new LRUCache<string, { result: Result }>({ max: MAX_HEADERS })
  return (header) => {
    const found = known.get(header)
    if (found !== undefined) return found.result
    const result = read(header)
    if (header.length <= MAX_LENGTH) known.set(header, { result })
    return result
  }
}
