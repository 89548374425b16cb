import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { memoizeHeader } from '@family-inbox/service-kit/http/memoize-header'
import Negotiator from 'negotiator'

export type Coding = 'br' | 'gzip' | 'identity'

/** Content in every coding, each with its own strong ETag (RFC 9110 section 8.8.3). */
export type Compressed = Readonly<Record<Coding, Coded>>

type Coded = { bytes: Buffer; etag: string }

/** `least` is for images: compressing them harder saves nothing. */
export type Effort = 'high' | 'least'

/** Quality 11 makes pages 7 % smaller, and takes several times as long. */
const BROTLI_QUALITY: Record<Effort, number> = { high: 8, least: constants.BROTLI_MIN_QUALITY }
const GZIP_LEVEL: Record<Effort, number> = { high: constants.Z_BEST_COMPRESSION, least: constants.Z_BEST_SPEED }

/**
 * Compresses content once for each coding, when somebody first asks for it: all at once took more of a start than loading the
 * site's modules, and most clients of an installation want one coding of a few pages.
 */
export function compress(bytes: Buffer, effort: Effort = 'high'): Compressed {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[effort] }
  let br: Coded | undefined
  let gzip: Coded | undefined
  return {
    get br() {
      br ??= { bytes: brotliCompressSync(bytes, { params }), etag: `"${hash}-br"` }
      return br
    },
    get gzip() {
      gzip ??= { bytes: gzipSync(bytes, { level: GZIP_LEVEL[effort] }), etag: `"${hash}-gz"` }
      return gzip
    },
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
