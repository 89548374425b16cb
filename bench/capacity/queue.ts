/** Work that waits, in the order in which it came. */
export type Queue = {
  /** The longest that any of it has waited, in minutes. */
  readonly longest: number
  /** Adds what came in a minute, and takes out at most so much. @returns how much was taken out */
  step(minute: number, arrived: number, most: number): number
}

export function startQueue(): Queue {
  const waiting: { since: number; left: number }[] = []
  let longest = 0
  function takeOut(most: number): number {
    let room = most
    while (room > 0) {
      const [oldest] = waiting
      if (oldest === undefined) break
      const taken = Math.min(room, oldest.left)
      oldest.left -= taken
      room -= taken
      if (oldest.left > 0) break
      waiting.shift()
    }
    return most - room
  }
  return {
    get longest() {
      return longest
    },
    step(minute, arrived, most) {
      if (arrived > 0) waiting.push({ since: minute, left: arrived })
      const taken = takeOut(most)
      const [oldest] = waiting
      if (oldest !== undefined) longest = Math.max(longest, minute + 1 - oldest.since)
      return taken
    },
  }
}
