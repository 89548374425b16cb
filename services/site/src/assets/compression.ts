import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { memoizeHeader } from '@family-inbox/service-kit/http/memoize-header'
import Negotiator from 'negotiator'

export type Coding = 'br' | 'gzip' | 'identity'

/** Content in every coding, each with its own strong ETag (RFC 9110 section 8.8.3). */
export type Compressed = Record<Coding, { bytes: Buffer; etag: string }>

/** `least` is for images: compressing them harder took most of the start-up time and saved nothing. */
export type Effort = 'high' | 'least'

/** Quality 11 makes pages 7 % smaller, and took 0.3 s of a processor at each start, more than loading the site's modules. */
const BROTLI_QUALITY: Record<Effort, number> = { high: 8, least: constants.BROTLI_MIN_QUALITY }
const GZIP_LEVEL: Record<Effort, number> = { high: constants.Z_BEST_COMPRESSION, least: constants.Z_BEST_SPEED }

/** Compresses content with high effort by default; call once, at start-up. */
export async function compress(bytes: Buffer, effort: Effort = 'high'): Promise<Compressed> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[effort] }
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(bytes, { params }),
    promisify(gzip)(bytes, { level: GZIP_LEVEL[effort] }),
  ])
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return {
    br: { bytes: br, etag: `"${hash}-br"` },
    gzip: { bytes: zipped, etag: `"${hash}-gz"` },
    identity: { bytes, etag: `"${hash}"` },
  }
}

const SMALLEST_FIRST: Coding[] = ['br', 'gzip', 'identity']

/** Returns the smallest coding a client accepts (RFC 9110 section 12.5.3), or identity. */
export function chooseCoding(acceptEncoding: string | undefined): Coding {
  return acceptEncoding === undefined ? 'identity' : readAcceptEncoding(acceptEncoding)
}

const readAcceptEncoding = memoizeHeader((header: string): Coding => {
  const accepted = new Negotiator({ headers: { 'accept-encoding': header } }).encodings(SMALLEST_FIRST)
  return SMALLEST_FIRST.find((coding) => accepted.includes(coding)) ?? 'identity'
})
