import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Negotiator from 'negotiator'
import { remember } from './remember.ts'

export type Coding = 'br' | 'gzip' | 'identity'

/** One representation in every coding we send, each with a strong ETag of its own (RFC 9110 section 8.8.3). */
export type Compressed = Record<Coding, { bytes: Buffer; etag: string }>

/** How hard to try: pictures are packed already, and trying hard would take most of the time of a start. */
export type Effort = 'most' | 'least'

const BROTLI_QUALITY: Record<Effort, number> = {
  most: constants.BROTLI_MAX_QUALITY,
  least: constants.BROTLI_MIN_QUALITY,
}

/** Compresses as hard as it goes, unless told otherwise: this is done once, at the start. */
export async function compress(bytes: Buffer, effort: Effort = 'most'): Promise<Compressed> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[effort] }
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(bytes, { params }),
    promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
  ])
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return {
    br: { bytes: br, etag: `"${hash}-br"` },
    gzip: { bytes: zipped, etag: `"${hash}-gz"` },
    identity: { bytes, etag: `"${hash}"` },
  }
}

const SMALLEST_FIRST: Coding[] = ['br', 'gzip', 'identity']

/** The smallest coding a client accepts (RFC 9110 section 12.5.3); plain when it names none it would take. */
export function chooseCoding(acceptEncoding: string | undefined): Coding {
  return acceptEncoding === undefined ? 'identity' : readAcceptEncoding(acceptEncoding)
}

const readAcceptEncoding = remember((header: string): Coding => {
  const accepted = new Negotiator({ headers: { 'accept-encoding': header } }).encodings(SMALLEST_FIRST)
  return SMALLEST_FIRST.find((coding) => accepted.includes(coding)) ?? 'identity'
})
