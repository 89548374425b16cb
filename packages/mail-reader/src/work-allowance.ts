export type WorkAllowance = {
  /** Seconds until the owner may cause work again; 0 when it may now. */
  secondsToWait(owner: string): number
  spend(owner: string, ms: number): void
}

type WorkAllowanceOptions = {
  /** Milliseconds of work that may come at once. */
  burstMs: number
  /** The part of one processor that an owner may keep busy after that. */
  share: number
  /** In milliseconds. */
  now?: () => number
}

/** Limits the time that work for each owner takes. The last work may exceed it and delays the next. Per process, in memory. */
export function createWorkAllowance({
  burstMs,
  share,
  now = () => performance.now(),
}: WorkAllowanceOptions): WorkAllowance {
  /** When each owner's work will be paid off; in the past, or absent, when it is. */
  const paidAt = new Map<string, number>()
  const debtMs = (owner: string) => Math.max(0, (paidAt.get(owner) ?? 0) - now()) * share
  return {
    secondsToWait: (owner) => Math.max(0, Math.ceil((debtMs(owner) - burstMs) / share / 1000)),
    spend(owner, ms) {
      for (const [other, at] of paidAt) {
        if (at > now()) break
        paidAt.delete(other)
      }
      const owed = debtMs(owner) + ms
      paidAt.delete(owner) // reinserted at the end
      paidAt.set(owner, now() + owed / share)
    },
  }
}
