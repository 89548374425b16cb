import { StatusError } from './status-error.ts'

/** Waits until a deadline (milliseconds since 1970), while late work continues. @throws StatusError UNAVAILABLE at the deadline */
export async function raceDeadline<T>(work: Promise<T>, deadline: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const tooLate = () => reject(new StatusError('UNAVAILABLE', 'This is taking too long. Try again in a moment.'))
    timer = setTimeout(tooLate, Math.max(0, deadline - Date.now()))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
