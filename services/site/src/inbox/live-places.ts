/** Tabs of one session that listen at once; further ones look again now and then instead. */
const MAX_PER_SESSION = 4
/** Each is a connection and a stream: what this process holds of both is bounded. */
const MAX_IN_ALL = 2000

export type LivePlaces = {
  /** Takes a place to listen at; undefined when there is none. The answer gives it back. */
  take(sessionId: string): (() => void) | undefined
}

/** The places of those who listen for new mail, in this process. */
export function createLivePlaces(): LivePlaces {
  const taken = new Map<string, number>()
  let all = 0
  return {
    take(sessionId) {
      const own = taken.get(sessionId) ?? 0
      if (own >= MAX_PER_SESSION || all >= MAX_IN_ALL) return undefined
      taken.set(sessionId, own + 1)
      all += 1
      let isGiven = false
      return () => {
        if (isGiven) return
        isGiven = true
        all -= 1
        const left = (taken.get(sessionId) ?? 1) - 1
        if (left === 0) taken.delete(sessionId)
        else taken.set(sessionId, left)
      }
    },
  }
}
