import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import type { MessagePort, ResourceLimits } from 'node:worker_threads'
import { createFairGate } from '@family-inbox/service-kit/lifecycle/fair-gate'
import { Piscina } from 'piscina'

export type Lane = {
  slots: number
  slotsPerOwner: number
  /** From handing a task to a worker until its answer; time in the queue does not count. */
  timeoutMs: number
}

// biome-ignore lint/suspicious/noExplicitAny: each task has its own argument
type Functions<Name extends string> = Record<Name, (task: any) => unknown>

export type WorkerPool<Tasks extends Functions<keyof Tasks & string>> = AsyncDisposable & {
  readonly lanes: Readonly<Record<keyof Tasks & string, Lane>>
  readonly isDisposed: boolean
  /** Rejects if the worker fails or times out. A task whose signal aborts before its turn does not start. */
  run<Name extends keyof Tasks & string>(
    name: Name,
    owner: string,
    task: Parameters<Tasks[Name]>[0],
    transfer: (ArrayBuffer | MessagePort)[],
    signal?: AbortSignal,
  ): Promise<Awaited<ReturnType<Tasks[Name]>>>
}

/**
 * Runs the functions that a module exports in worker threads that start on demand and end when a task times out. In each lane
 * owners take turns. A thread has one task at a time, of any lane, and there are threads for the slots of all.
 */
export function createWorkerPool<Tasks extends Functions<keyof Tasks & string>>(
  module: URL,
  lanes: Readonly<Record<keyof Tasks & string, Lane>>,
  { idleMs, resourceLimits }: { idleMs: number; resourceLimits: ResourceLimits },
): WorkerPool<Tasks> {
  const all: Lane[] = Object.values(lanes)
  const gates = new Map(Object.entries<Lane>(lanes).map(([name, lane]) => [name, createFairGate(lane)]))
  const disposal = new AbortController()
  const pool = new Piscina({
    filename: module.href,
    minThreads: 0,
    maxThreads: all.reduce((sum, { slots }) => sum + slots, 0),
    idleTimeout: idleMs,
    resourceLimits,
    env: compileCache(),
    atomics: 'disabled', // a waiting thread would block its own asynchronous work
  })
  return {
    lanes,
    get isDisposed() {
      return disposal.signal.aborted
    },
    async run(name, owner, task, transferList, signal) {
      const work = async () => {
        signal?.throwIfAborted()
        disposal.signal.throwIfAborted()
        const ends = AbortSignal.any([disposal.signal, AbortSignal.timeout(lanes[name].timeoutMs)])
        return pool.run(task, { name, transferList, signal: ends })
      }
      return gates.get(name)?.(owner, work)
    },
    async [Symbol.asyncDispose]() {
      disposal.abort()
      await pool.destroy()
    },
  }
}

/** A thread gets no other setting. Reading compiled modules takes it a quarter of the time that compiling them takes. */
function compileCache(): Record<string, string> {
  const ofThisVersion = getCompileCacheDir()
  return ofThisVersion === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofThisVersion) }
}
