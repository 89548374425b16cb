import { StatusError } from './status-error.ts'

const ANSWER_MS = 1900

/** Requests from outside are answered within two seconds, even when services are down. @throws StatusError UNAVAILABLE */
export function answerInTime<T>(work: Promise<T>): Promise<T> {
  return raceDeadline(work, Date.now() + ANSWER_MS)
}

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
