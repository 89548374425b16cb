import { setTimeout as sleep } from 'node:timers/promises'

/** A part of a budget that somebody holds. Disposing gives it back, once. */
export type Share = Disposable & {
  /** Grows or shrinks the share. Returns false, and changes nothing, when it may not grow so much. */
  resize(amount: number): boolean
}

export type FairBudget = {
  /** What is held by everybody. */
  readonly held: number
  /** Takes a share on behalf of all these owners; undefined when one of them may not take so much now. */
  take(owners: readonly string[], amount: number): Share | undefined
  /** Takes a share as soon as there is one; undefined when there was none before `signal` aborted. */
  takeSoon(owners: readonly string[], amount: number, signal: AbortSignal): Promise<Share | undefined>
}

const LOOK_AGAIN_MS = 50

/**
 * A limited amount (bytes, connections) that many owners share. One rule keeps it fair: nobody holds more than is left for the
 * others. A single owner gets half of it, two get a third each, and whoever comes next still finds as much as each of them has.
 * An owner's only share may be as large as what is left.
 */
export function createFairBudget(total: number): FairBudget {
  const heldBy = new Map<string, number>()
  let held = 0

  function mayGrow(owner: string, share: number, growth: number): boolean {
    const all = heldBy.get(owner) ?? 0
    const free = total - held - growth
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
    async takeSoon(owners, amount, signal) {
      for (;;) {
        if (signal.aborted) return undefined
        const share = take(owners, amount)
        if (share !== undefined) return share
        await sleep(LOOK_AGAIN_MS)
      }
    },
  }
}
