export type FairGate = <T>(owner: string, work: () => Promise<T>) => Promise<T>

export type FairGateOptions = {
  slots: number
  slotsPerOwner: number
}

/** Limits concurrent work. Waiting owners take turns; each owner's work keeps its order. */
export function createFairGate({ slots, slotsPerOwner }: FairGateOptions): FairGate {
  const running = new Map<string, number>()
  const waiting = new Map<string, (() => void)[]>()
  let free = slots

  const mayRun = (owner: string) => free > 0 && (running.get(owner) ?? 0) < slotsPerOwner

  function start(owner: string): void {
    free -= 1
    running.set(owner, (running.get(owner) ?? 0) + 1)
  }

  function finish(owner: string): void {
    free += 1
    const left = (running.get(owner) ?? 1) - 1
    if (left === 0) running.delete(owner)
    else running.set(owner, left)
    const next = [...waiting.keys()].find(mayRun)
    if (next !== undefined) startNext(next)
  }

  function startNext(owner: string): void {
    const [enter, ...rest] = waiting.get(owner) ?? []
    waiting.delete(owner) // reinserted below, at the end of the line
    if (rest.length > 0) waiting.set(owner, rest)
    start(owner)
    enter?.()
  }

  return async (owner, work) => {
    if (mayRun(owner) && !waiting.has(owner)) start(owner)
    else await new Promise<void>((enter) => waiting.set(owner, [...(waiting.get(owner) ?? []), enter]))
    try {
      return await work()
    } finally {
      finish(owner)
    }
  }
}
