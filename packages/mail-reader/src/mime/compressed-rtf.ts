const HEADER_BYTES = 16
const COMPRESSED = 0x75465a4c
const UNCOMPRESSED = 0x414c454d
const DICTIONARY_BYTES = 4096
const MAX_RTF_BYTES = 4 * 1024 * 1024
/** The first content of the dictionary (MS-OXRTFCP section 2.1.2.1). */
const PRELOADED = Buffer.from(
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx',
  'latin1',
)

/** Decompresses RTF (MS-OXRTFCP), at most 4 MB of it. Damaged input gives what was read so far; other bytes give nothing. */
export function decompressRtf(bytes: Buffer): Buffer {
  if (bytes.length < HEADER_BYTES) return Buffer.alloc(0)
  const size = Math.min(bytes.readUInt32LE(4), MAX_RTF_BYTES)
  const type = bytes.readUInt32LE(8)
  if (type === UNCOMPRESSED) return bytes.subarray(HEADER_BYTES, HEADER_BYTES + size)
  return type === COMPRESSED ? inflate(bytes, size) : Buffer.alloc(0)
}

function inflate(bytes: Buffer, size: number): Buffer {
  // The size is the sender's word: a reference of two bytes makes at most 17.
  const window = new Window(Math.min(size, bytes.length * 9))
  for (let position = HEADER_BYTES; position < bytes.length && !window.isFull; ) {
    const control = bytes[position++] ?? 0
    for (let bit = 0; bit < 8 && position < bytes.length; bit += 1) {
      const first = bytes[position++] ?? 0
      if ((control & (1 << bit)) === 0) window.put(first)
      else if (!window.repeat((first << 8) | (bytes[position++] ?? 0))) return window.read()
    }
  }
  return window.read()
}

/** The output and its last 4096 bytes. */
class Window {
  readonly #output: Buffer
  readonly #dictionary = Buffer.alloc(DICTIONARY_BYTES, 0x20)
  #at = PRELOADED.length
  #length = 0

  constructor(size: number) {
    this.#output = Buffer.allocUnsafe(size)
    PRELOADED.copy(this.#dictionary)
  }

  get isFull(): boolean {
    return this.#length >= this.#output.length
  }

  put(byte: number) {
    if (this.isFull) return
    this.#output[this.#length++] = byte
    this.#dictionary[this.#at] = byte
    this.#at = (this.#at + 1) % DICTIONARY_BYTES
  }

  /** 12 bits say from where, 4 how much. False at the end: the reference is to where the next byte goes. */
  repeat(reference: number): boolean {
    const from = reference >> 4
    if (from === this.#at) return false
    for (let step = 0; step < (reference & 0xf) + 2; step += 1)
      this.put(this.#dictionary[(from + step) % DICTIONARY_BYTES] ?? 0)
    return true
  }

  read(): Buffer {
    return this.#output.subarray(0, this.#length)
  }
}
