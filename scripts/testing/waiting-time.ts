/** When each of this worker's waits for something shared began. */
const begun = new Set<number>()
let ended = 0

/** Waits for what other tests hold, or what is started for all of them: that counts toward no test's deadline. */
export async function uncounted<T>(wait: Promise<T>): Promise<T> {
  const from = performance.now()
  begun.add(from)
  try {
    return await wait
  } finally {
    begun.delete(from)
    ended += performance.now() - from
  }
}

/** For how many milliseconds this worker has waited. */
export function waitedMs(): number {
  const now = performance.now()
  return [...begun].reduce((sum, from) => sum + now - from, ended)
}
