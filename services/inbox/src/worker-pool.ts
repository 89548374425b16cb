import { once } from 'node:events'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { createFairGate } from '@family-inbox/service-kit/lifecycle/fair-gate'

type WorkerPoolOptions = {
  /** A module that answers each message with one message, and throws when it cannot. */
  script: URL
  maxWorkers: number
  /** Concurrent workers for one owner's tasks. */
  maxWorkersPerOwner: number
  /** From handing a task to a worker until its answer; time in the queue does not count. */
  timeoutMs: number
  idleMs: number
  resourceLimits: ResourceLimits
}

type WorkerPool<Task, Result> = AsyncDisposable & {
  /**
   * Owners take turns. A task whose signal aborts before its turn does not start. Rejects if the worker fails or times
   * out, or the pool is disposed of.
   */
  run(owner: string, task: Task, transfer: ArrayBuffer[], signal?: AbortSignal): Promise<Result>
}

/** Runs tasks in worker threads that start on demand and are terminated when a task times out. */
export function createWorkerPool<Task, Result>(options: WorkerPoolOptions): WorkerPool<Task, Result> {
  const gate = createFairGate({ slots: options.maxWorkers, slotsPerOwner: options.maxWorkersPerOwner })
  const disposal = new AbortController()
  const workers = new Set<Worker>()
  const idle = new Map<Worker, NodeJS.Timeout>()

  function startWorker(): Worker {
    const worker = new Worker(options.script, { env: {}, resourceLimits: options.resourceLimits })
    workers.add(worker)
    worker.on('error', () => {}) // a running task gets the error as well
    worker.on('exit', () => removeWorker(worker))
    return worker
  }

  function takeIdleWorker(): Worker | undefined {
    const [entry] = idle
    if (!entry) return undefined
    const [worker, ending] = entry
    clearTimeout(ending)
    idle.delete(worker)
    worker.ref()
    return worker
  }

  function parkWorker(worker: Worker) {
    worker.unref()
    idle.set(worker, setTimeout(() => worker.terminate(), options.idleMs).unref())
  }

  function removeWorker(worker: Worker) {
    clearTimeout(idle.get(worker))
    idle.delete(worker)
    workers.delete(worker)
  }

  async function runInWorker(task: Task, transfer: ArrayBuffer[]): Promise<Result> {
    disposal.signal.throwIfAborted()
    const worker = takeIdleWorker() ?? startWorker()
    const signal = AbortSignal.any([disposal.signal, AbortSignal.timeout(options.timeoutMs)])
    try {
      worker.postMessage(task, transfer)
      const [result] = await once(worker, 'message', { signal })
      parkWorker(worker)
      return result
    } catch (error) {
      removeWorker(worker)
      await worker.terminate()
      throw error
    }
  }

  return {
    run: (owner, task, transfer, signal) =>
      gate(owner, async () => {
        signal?.throwIfAborted()
        return runInWorker(task, transfer)
      }),
    async [Symbol.asyncDispose]() {
      disposal.abort()
      await Promise.all(Array.from(workers, (worker) => worker.terminate()))
    },
  }
}
