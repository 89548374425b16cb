import { LRUCache } from 'lru-cache'

const MAX_HEADERS = 1000
/** Longer ones come from no browser, and are not worth their room. */
const MAX_LENGTH = 500

/**
 * Remembers what was read from a header: browsers send the same few again and again, and reading one costs as much as
 * sending a page.
 * @param read a pure function of the header
 */
export function remember<Result>(read: (header: string) => Result): (header: string) => Result {
  const known = new LRUCache<string, { result: Result }>({ max: MAX_HEADERS })
  return (header) => {
    const found = known.get(header)
    if (found !== undefined) return found.result
    const result = read(header)
    if (header.length <= MAX_LENGTH) known.set(header, { result })
    return result
  }
}
