import { setTimeout as sleep } from 'node:timers/promises'

/** A held part of a budget. Disposing returns it; doing so twice is harmless. */
export type Share = Disposable & {
  /** Returns false, and changes nothing, when the share may not grow that much. */
  resize(amount: number): boolean
}

export type FairBudget = {
  readonly held: number
  /** Takes a share that counts for every owner; undefined when one of them may not take that much now. */
  take(owners: readonly string[], amount: number): Share | undefined
  /** Takes a share as soon as it is free; undefined when `signal` aborts first. */
  takeWhenFree(owners: readonly string[], amount: number, signal: AbortSignal): Promise<Share | undefined>
}

const RETRY_MS = 50

/**
 * A shared amount (bytes, connections). No owner may hold more than `mostPerOwner`, nor more than is left for others, except in
 * a single share.
 */
export function createFairBudget(total: number, mostPerOwner = total): FairBudget {
  const heldBy = new Map<string, number>()
  let held = 0

  function mayGrow(owner: string, share: number, growth: number): boolean {
    const all = heldBy.get(owner) ?? 0
    const free = total - held - growth
    if (all + growth > mostPerOwner) return false
    return free >= 0 && (all === share || all + growth <= free)
  }

  function add(owners: Iterable<string>, amount: number): void {
    held += amount
    for (const owner of owners) {
      const all = (heldBy.get(owner) ?? 0) + amount
      if (all === 0) heldBy.delete(owner)
      else heldBy.set(owner, all)
    }
  }

  function take(names: readonly string[], amount: number): Share | undefined {
    const owners = new Set(names)
    let share = 0
    const resize = (wanted: number) => {
      const growth = wanted - share
      if (growth > 0 && ![...owners].every((owner) => mayGrow(owner, share, growth))) return false
      add(owners, growth)
      share = wanted
      return true
    }
    return resize(amount) ? { resize, [Symbol.dispose]: () => void resize(0) } : undefined
  }

  return {
    get held() {
      return held
    },
    take,
    async takeWhenFree(owners, amount, signal) {
      for (;;) {
        if (signal.aborted) return undefined
        const share = take(owners, amount)
        if (share !== undefined) return share
        await sleep(RETRY_MS)
      }
    },
  }
}
