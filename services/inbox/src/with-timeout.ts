/**
 * Rejects after a timeout; the work continues and its result is ignored.
 * @throws an error with code ETIMEOUT
 */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const tooLate = () => reject(Object.assign(new Error('no answer in time'), { code: 'ETIMEOUT' }))
    timer = setTimeout(tooLate, Math.max(0, ms))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
