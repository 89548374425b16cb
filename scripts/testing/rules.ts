// AVA loads this in each of its workers, before the test file: every test gets a deadline, and each worker reports what it cost.
import { appendFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecutionContext, TestFn } from 'ava'
import { COSTS_FILE } from './costs.ts'
import { DEADLINE_SECONDS, LONGER } from './deadlines.ts'
import { processorSeconds } from './processor-time.ts'
import { waitedMs } from './waiting-time.ts'

const ROOT = join(import.meta.dirname, '../..')

// biome-ignore lint/suspicious/noExplicitAny: AVA declares the arguments of test() in many overloads
type Chain = TestFn & ((...args: any[]) => void)
type Implementation = (t: ExecutionContext, ...args: unknown[]) => unknown

// AVA has no public way to reach every test. Its version is pinned, and rules.test.ts fails where a new one differs.
const { refs } = (await import(join(ROOT, 'node_modules/ava/lib/worker/state.js'))) as { refs: { runnerChain: Chain } }
/** How much longer tests may take with `TEST_SCALE=full`. */
const FULL_SCALE = 20
const LOOK_MS = 100
/** A test may replace the clock of its worker. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

const worker = relative(ROOT, fileURLToPath(refs.runnerChain.meta.file))

/** The file whose tests are declared at the moment, and its declarations, where one worker runs many files. */
let collecting: { file: string; declarations: (() => void)[] } | undefined

// AVA asks for source maps. Node.js keeps the lines of our files as they are, and reading those of packages takes 40 ms.
process.setSourceMapsEnabled(false)

const chain = refs.runnerChain
refs.runnerChain = withRules(chain)
process.once('exit', reportCost)

/**
 * Declares the tests of many files in this worker, each titled `<path>: <title>`.
 * AVA starts with the first declaration and accepts none later, so all are made together after the last import.
 * They run one at a time, so that no file sees what the tests of another are doing.
 */
export async function declareTestsOf(files: readonly string[]): Promise<void> {
  refs.runnerChain = withRules(chain.serial as Chain)
  const declarations: (() => void)[] = []
  for (const file of files) {
    collecting = { file, declarations }
    await import(join(ROOT, file))
  }
  collecting = undefined
  for (const declare of declarations) declare()
}

/** A chain such as `test.serial.skip` is a function that has the next links as properties. */
function withRules(chain: Chain): Chain {
  return new Proxy(chain, {
    get(target, name) {
      const value = Reflect.get(target, name) ?? (name === 'serial' ? target : undefined)
      return typeof value === 'function' ? withRules(value) : value
    },
    apply(target, _this, args: unknown[]) {
      const file = collecting?.file
      const declared = args.map((arg) => {
        if (typeof arg === 'function') return withDeadline(arg as Implementation, file ?? worker)
        return arg === args[0] && file !== undefined ? `${file}: ${arg}` : arg
      })
      if (collecting === undefined) target(...declared)
      else collecting.declarations.push(() => target(...declared))
    },
  })
}

function withDeadline(implementation: Implementation, file: string): Implementation {
  const [seconds] = LONGER[file] ?? [DEADLINE_SECONDS]
  const scale = process.env.TEST_SCALE === 'full' ? FULL_SCALE : 1
  return async (t, ...args) => {
    const late = Promise.withResolvers<never>()
    const [startedAt, waitedBefore] = [performance.now(), waitedMs()]
    const leftMs = () => seconds * scale * 1000 + (waitedMs() - waitedBefore) - (performance.now() - startedAt)
    const look = () => {
      if (leftMs() > 0) timer = startTimer(look, Math.max(leftMs(), LOOK_MS))
      else {
        late.reject(new Error(`not finished after ${seconds} s`))
        void endProcessAfterwards()
      }
    }
    let timer = startTimer(look, leftMs())
    try {
      return await Promise.race([implementation(t, ...args), late.promise])
    } finally {
      stopTimer(timer)
    }
  }
}

/** Ends the process, which the rest of a late test would otherwise keep running. */
async function endProcessAfterwards(): Promise<void> {
  const { registerCompletionHandler } = await import('ava')
  registerCompletionHandler(() => process.exit())
}

function reportCost(): void {
  const costs = process.env[COSTS_FILE]
  if (costs === undefined) return
  const cost = { file: worker, seconds: processorSeconds() }
  appendFileSync(costs, `${JSON.stringify(cost)}\n`)
}
