const MAX_PROPERTIES = 5000

export const TYPE = { string8: 0x1e, unicode: 0x1f, object: 0x0d, binary: 0x102 }

const MULTIPLE = 0x1000

const NAMED = 0x8000

const FIXED_SIZES: Record<number, number> = {
  1: 0,
  2: 4,
  3: 4,
  4: 4,
  5: 8,
  6: 8,
  7: 8,
  10: 4,
  11: 4,
  20: 8,
  64: 8,
  72: 16,
}

export type Properties = Map<number, Value>

export type Value = { type: number; bytes: Buffer }

/** The first value of each property. Reading ends at a length that cannot be. */
export function readProperties(data: Buffer): Properties {
  const properties: Properties = new Map()
  const reader = new PropertyReader(data)
  const count = Math.min(reader.number(), MAX_PROPERTIES)
  for (let index = 0; index < count && !reader.isAtEnd; index += 1) {
    const type = reader.short()
    const id = reader.short()
    if (id >= NAMED) reader.skipName()
    const bytes = reader.value(type)
    if (bytes === undefined) break
    if (!properties.has(id)) properties.set(id, { type: type & ~MULTIPLE, bytes })
  }
  return properties
}

class PropertyReader {
  readonly #data: Buffer
  #at = 0

  constructor(data: Buffer) {
    this.#data = data
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#data.length
  }

  short(): number {
    this.#at += 2
    return this.#at <= this.#data.length ? this.#data.readUInt16LE(this.#at - 2) : 0
  }

  number(): number {
    this.#at += 4
    return this.#at <= this.#data.length ? this.#data.readUInt32LE(this.#at - 4) : 0
  }

  /** A GUID, then a number or a text. */
  skipName() {
    this.#at += 16
    if (this.number() === 0) this.#at += 4
    else this.#take(this.number())
  }

  /** The first value; undefined for an unknown type, after which nothing can be found. */
  value(type: number): Buffer | undefined {
    const base = type & ~MULTIPLE
    const size = FIXED_SIZES[base]
    const isVariable = size === undefined
    if (isVariable && !Object.values(TYPE).includes(base)) return undefined
    const count = isVariable || type !== base ? this.number() : 1
    let first = Buffer.alloc(0)
    for (let index = 0; index < count && !this.isAtEnd; index += 1) {
      const value = this.#take(isVariable ? this.number() : size)
      if (index === 0) first = value
      else if (size === 0) break
    }
    return first
  }

  /** Padded to four bytes. */
  #take(size: number): Buffer<ArrayBuffer> {
    const value = this.#data.subarray(this.#at, this.#at + size)
    this.#at += Math.ceil(size / 4) * 4
    return value as Buffer<ArrayBuffer>
  }
}
