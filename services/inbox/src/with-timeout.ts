/**
 * Rejects after a timeout; the work continues and its result is ignored.
 * @throws an error with code ETIMEOUT
 */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    const expire = () => reject(Object.assign(new Error('timed out'), { code: 'ETIMEOUT' }))
    timer = setTimeout(expire, Math.max(0, ms))
  })
  try {
    return await Promise.race([work, expired])
  } finally {
    clearTimeout(timer)
  }
}
