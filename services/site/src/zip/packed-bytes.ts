import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** How much is packed at once: enough to find what repeats. */
const PART_BYTES = 64 * 1024

export type PackedBytes = {
  /** How many bytes were added. */
  readonly size: number
  add(bytes: Uint8Array): void
  /** Everything that was added, in order, and forgotten as it is taken. */
  takeAll(): Generator<Uint8Array>
}

/** Bytes that are added little by little and needed once, at the end. They are kept compressed, without an object for each. */
export function createPackedBytes(): PackedBytes {
  const packed: Buffer[] = []
  let open = Buffer.allocUnsafe(PART_BYTES)
  let used = 0
  let size = 0

  function add(bytes: Uint8Array): void {
    if (used + bytes.length > open.length) close(bytes.length)
    open.set(bytes, used)
    used += bytes.length
    size += bytes.length
  }

  function close(next: number): void {
    packed.push(deflateRawSync(open.subarray(0, used), { level: 6 }))
    if (next > open.length) open = Buffer.allocUnsafe(next)
    used = 0
  }

  function* takeAll(): Generator<Uint8Array> {
    for (let part = packed.shift(); part !== undefined; part = packed.shift()) yield inflateRawSync(part)
    yield open.subarray(0, used)
    used = 0
  }

  return {
    get size() {
      return size
    },
    add,
    takeAll,
  }
}
