import { S3Errors } from '@bradenmacdonald/s3-lite-client'

/** Of the storage for those who may not, in its different products. */
const REFUSED = [
  'AccessDenied',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'XAdminUserNotFound',
]
const FULL = ['QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded', 'InsufficientStorage']
/** HTTP 507. */
const INSUFFICIENT_STORAGE = 507

/** Says what went wrong with a bucket, and what to do. Nothing of the answer but its code: some repeat the request. */
export function explain(error: unknown, address: string, endpoint: string): Error {
  return new Error(wordsFor(error, address, endpoint), { cause: error })
}

function wordsFor(error: unknown, address: string, endpoint: string): string {
  if (error instanceof S3Errors.ServerError) {
    const { code, statusCode } = error
    if (REFUSED.includes(code))
      return `${endpoint} refused the access key for ${address} (${code}). Check BACKUP_S3_ACCESS_KEY and BACKUP_S3_SECRET_KEY, and that it may list, read, write and delete there.`
    if (FULL.includes(code) || statusCode === INSUFFICIENT_STORAGE)
      return `${address} is full (${code}). Give it more space, or delete what nobody needs there.`
    if (code === 'NoSuchBucket') return `${endpoint} has no bucket for ${address}. Make it, or check BACKUP_S3_BUCKET.`
    if (code === 'NoSuchKey') return `${address} is not there. List what is: npm run -s backup -- list`
    if (code === 'RequestTimeTooSkewed') return `${endpoint} says that the clock of this machine is wrong. Set it.`
    return `${endpoint} answered ${statusCode} (${code}) about ${address}. Try again later: npm run -s backup -- nightly`
  }
  return `The connection to ${endpoint} failed (${networkCode(error)}). Check BACKUP_S3_ENDPOINT, or try again later: npm run -s backup -- nightly`
}

/** Whether the same request may succeed a moment later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof S3Errors.ServerError)) return !(error instanceof S3Errors.S3Error)
  const { statusCode, code } = error
  return !FULL.includes(code) && (statusCode === 429 || (statusCode >= 500 && statusCode < INSUFFICIENT_STORAGE))
}

function networkCode(error: unknown): string {
  const cause = (error as { cause?: { code?: unknown } }).cause ?? error
  const { code, name } = cause as { code?: unknown; name?: unknown }
  return String(code ?? name ?? 'unknown')
}
