import type { MessagePort, ResourceLimits } from 'node:worker_threads'
import { createFairGate } from '@family-inbox/service-kit/lifecycle/fair-gate'
import { Piscina } from 'piscina'

type WorkerPoolOptions = {
  /** The module and the name of its exported function that runs a task. */
  module: URL
  task: string
  maxWorkers: number
  maxWorkersPerOwner: number
  /** From handing a task to a worker until its answer; time in the queue does not count. */
  timeoutMs: number
  idleMs: number
  resourceLimits: ResourceLimits
}

type WorkerPool<Task, Result> = AsyncDisposable & {
  /** Rejects if the worker fails or times out. A task whose signal aborts before its turn does not start. */
  run(owner: string, task: Task, transfer: (ArrayBuffer | MessagePort)[], signal?: AbortSignal): Promise<Result>
}

/** Runs tasks in worker threads that start on demand and end when a task times out. Owners take turns. */
export function createWorkerPool<Task, Result>(options: WorkerPoolOptions): WorkerPool<Task, Result> {
  const gate = createFairGate({ slots: options.maxWorkers, slotsPerOwner: options.maxWorkersPerOwner })
  const disposal = new AbortController()
  const pool = new Piscina<Task, Result>({
    filename: options.module.href,
    name: options.task,
    minThreads: 0,
    maxThreads: options.maxWorkers,
    idleTimeout: options.idleMs,
    resourceLimits: options.resourceLimits,
    env: {},
    atomics: 'disabled', // a waiting thread would block its own asynchronous work
  })
  return {
    run: (owner, task, transferList, signal) =>
      gate(owner, async () => {
        signal?.throwIfAborted()
        disposal.signal.throwIfAborted()
        const ends = AbortSignal.any([disposal.signal, AbortSignal.timeout(options.timeoutMs)])
        return pool.run(task, { transferList, signal: ends })
      }),
    async [Symbol.asyncDispose]() {
      disposal.abort()
      await pool.destroy()
    },
  }
}
