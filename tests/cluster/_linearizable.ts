import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { builtWithGo } from '@family-inbox/local-stack/binaries/built-with-go'
import { readEnvironment } from '@family-inbox/service-kit/config/config'

const MODULE = join(import.meta.dirname, 'linearizable')
let built: Promise<string> | undefined

/** One call about one object, in the words of `linearizable/main.go`. */
export type Operation = {
  object: string
  client: number
  callNs: number
  /** Absent when the answer said neither yes nor no. */
  returnNs?: number
} & (
  | { model: 'register'; kind: 'read' | 'write'; value: string }
  | { model: 'claim'; kind: 'claim'; value: string; granted: boolean }
  | { model: 'limit'; kind: 'spend'; limit: number; granted: boolean }
)

export type Linearizability = { operations: number; objects: number; wrong: string[]; undecided: string[] }

type WithoutTimes<T> = T extends unknown ? Omit<T, 'callNs' | 'returnNs' | 'client'> : never

export type History = {
  operations: Operation[]
  /**
   * Makes a call and notes it.
   * @param what the operation, from its answer; undefined when the answer said neither yes nor no
   * @param unknown what may have happened then; absent for reads
   */
  note<T>(
    client: number,
    call: () => Promise<T>,
    what: (answer: T) => WithoutTimes<Operation> | undefined,
    unknown?: WithoutTimes<Operation>,
  ): Promise<boolean>
}

export function openHistory(): History {
  const operations: Operation[] = []
  return {
    operations,
    async note(client, call, what, unknown) {
      const callNs = nowNs()
      const known = await call().then(what, () => undefined)
      const done = known ?? unknown
      if (done) operations.push({ ...done, client, callNs, ...(known && { returnNs: nowNs() }) } as Operation)
      return known !== undefined
    },
  }
}

/** Checks with porcupine that each object behaved like one copy that took one operation at a time. */
export async function checkLinearizable(operations: readonly Operation[]): Promise<Linearizability> {
  built ??= builtWithGo(
    { name: 'the checker of histories', module: MODULE, packages: '.', takes: 'a minute or so' },
    { env: readEnvironment(), say: () => {} },
  )
  const checker = spawn(join(await built, 'linearizable'), { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(checker, 'exit')
  checker.stdin.end(operations.map((operation) => `${JSON.stringify(operation)}\n`).join(''))
  const report = JSON.parse(await text(checker.stdout))
  await exited
  return report
}

function nowNs(): number {
  return Math.round(performance.now() * 1e6)
}
