/**
 * Waits for work no longer than so many milliseconds. The work goes on; its outcome is then nobody's concern.
 * @throws an error with code ETIMEOUT when the time is up
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
