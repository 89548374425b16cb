import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { createWorkerPool } from './worker-pool.ts'

type Tasks = { follow(task: Task): Promise<string | number> }
type Task = { work: 'echo' | 'hang' | 'throw' | 'hoard' | 'sleep' | 'thread' | 'look' }

const MODULE = join(mkdtempSync(join(tmpdir(), 'worker-pool-')), 'task.mjs')
/** Follows the instructions of its task. */
const CODE = `
  import { getCompileCacheDir } from 'node:module'
  import { threadId } from 'node:worker_threads'
  export async function follow({ work }) {
    if (work === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    if (work === 'throw') throw new Error('thrown in the worker')
    if (work === 'hoard') for (const hoard = [];;) hoard.push(new Array(1e5).fill(work + hoard.length))
    if (work === 'sleep') await new Promise((wake) => setTimeout(wake, 100))
    if (work === 'look') return [...Object.keys(process.env), getCompileCacheDir()].join()
    return work === 'thread' ? threadId : work
  }`

test.before(() => writeFileSync(MODULE, CODE))
test.after.always(() => rmSync(dirname(MODULE), { recursive: true }))

const LIMITS = { maxOldGenerationSizeMb: 32 }

function createPool(options: { slots?: number; slotsPerOwner?: number; timeoutMs?: number; idleMs?: number } = {}) {
  const { slots = 1, slotsPerOwner = 2, timeoutMs = 20_000, idleMs = 20_000 } = options
  const threads = { idleMs, resourceLimits: LIMITS }
  return createWorkerPool<Tasks>(pathToFileURL(MODULE), { follow: { slots, slotsPerOwner, timeoutMs } }, threads)
}

test('one worker runs tasks in turn', async (t) => {
  await using pool = createPool()
  const first = await pool.run('follow', 'a', { work: 'thread' }, [])
  t.is(await pool.run('follow', 'a', { work: 'echo' }, []), 'echo')
  t.is(await pool.run('follow', 'a', { work: 'thread' }, []), first)
})

test('a worker has no secret of the process, and reads the modules that it compiled', async (t) => {
  await using pool = createPool()
  const known = ['NODE_COMPILE_CACHE', getCompileCacheDir()].join()
  t.is(await pool.run('follow', 'a', { work: 'look' }, []), known)
})

test('no more workers than allowed are started', async (t) => {
  await using pool = createPool({ slots: 2 })
  const threads = await Promise.all(Array.from({ length: 20 }, () => pool.run('follow', 'a', { work: 'thread' }, [])))
  t.true(new Set(threads).size <= 2)
})

test('a task that hangs, fails or exhausts memory ends with an error, and the next one runs', async (t) => {
  await using pool = createPool({ timeoutMs: 5000 })
  await t.throwsAsync(pool.run('follow', 'a', { work: 'throw' }, []), { any: true, message: 'thrown in the worker' })
  await t.throwsAsync(pool.run('follow', 'a', { work: 'hoard' }, []), { code: 'ERR_WORKER_OUT_OF_MEMORY' })
  await t.throwsAsync(pool.run('follow', 'a', { work: 'hang' }, []), { name: 'AbortError' })
  t.is(await pool.run('follow', 'a', { work: 'echo' }, []), 'echo')
})

test('a task that hangs is ended, and other owners’ tasks run meanwhile', async (t) => {
  await using pool = createPool({ slots: 2, slotsPerOwner: 1, timeoutMs: 15_000 })
  let isOver = false
  const hanging = pool.run('follow', 'a', { work: 'hang' }, []).finally(() => {
    isOver = true
  })
  const refused = t.throwsAsync(hanging, { name: 'AbortError' })
  const own = pool.run('follow', 'a', { work: 'echo' }, [])
  for (let round = 0; round < 5; round += 1) t.is(await pool.run('follow', 'b', { work: 'echo' }, []), 'echo')
  t.false(isOver, 'it did not wait')
  await refused
  t.is(await own, 'echo')
})

test('time waiting for a worker does not count', async (t) => {
  await using pool = createPool({ timeoutMs: 4000 })
  const results = await Promise.all(Array.from({ length: 50 }, () => pool.run('follow', 'a', { work: 'sleep' }, [])))
  t.is(results.length, 50)
})

test('an idle worker ends', async (t) => {
  await using pool = createPool({ idleMs: 50 })
  const first = await pool.run('follow', 'a', { work: 'thread' }, [])
  await new Promise((wake) => setTimeout(wake, 500))
  t.not(await pool.run('follow', 'a', { work: 'thread' }, []), first)
})

test('disposing ends running tasks and rejects new ones', async (t) => {
  const pool = createPool()
  const running = t.throwsAsync(pool.run('follow', 'a', { work: 'hang' }, []), { name: 'AbortError' })
  const waiting = t.throwsAsync(pool.run('follow', 'a', { work: 'echo' }, []), { name: 'AbortError' })
  await new Promise((wake) => setTimeout(wake, 200))
  await pool[Symbol.asyncDispose]()
  await running
  await waiting
  await t.throwsAsync(pool.run('follow', 'a', { work: 'echo' }, []), { name: 'AbortError' })
})
