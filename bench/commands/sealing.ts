import { startStack } from '@family-inbox/local-stack/stack'
import type { Options } from '../measure/options.ts'
import { shuffled, spreadOf } from '../measure/statistics.ts'
import { shown, table } from '../measure/table.ts'
import { type CostSample, totalOf } from '../report/cost-table.ts'
import { makeWorkspace } from '../world/workspace.ts'
import { idleMicroseconds, kindsOf, measure, NO_LIMIT } from './costs.ts'

/** What reads or stores nothing that is sealed. */
const OTHERS = ['notification', 'event']
/** The last kind. */
const MAIL = 'mail of 10 KB'

/** Processor time with families' keys as a ratio to that without them, of all processes together. In turn, on two stacks. */
export async function benchSealing({ rounds, seconds, quietly, say }: Options) {
  await using sealed = await prepare(seconds, {})
  await using plain = await prepare(seconds, { KEY_ENCRYPTION_KEYS: '[]' })
  const names = sealed.kinds.map(({ name }) => name)
  const samples: { name: string; sealed: CostSample; plain: CostSample }[] = []
  // One after another: senders of mail that was taken in are checked for a while.
  for (const name of names) {
    say(name)
    for (let round = 1; round <= rounds; round += 1) {
      const taken = new Map<object, CostSample>()
      for (const one of shuffled([sealed, plain])) taken.set(one, await quietly(() => one.measure(name)))
      samples.push({ name, sealed: taken.get(sealed) as CostSample, plain: taken.get(plain) as CostSample })
    }
  }
  const rows = names.map((name) => {
    const of = samples.filter((sample) => sample.name === name)
    const each = of.map((sample) => totalOf(sample.sealed) / totalOf(sample.plain))
    const cost = (one: 'sealed' | 'plain') => spreadOf(of.map((sample) => totalOf(sample[one]))).median.toFixed(0)
    return [name, shown(spreadOf(each), 2), cost('sealed'), cost('plain')]
  })
  say(table([['', 'ratio: median [min–max]', 'µs sealed', 'µs as it was written'], ...rows]))
  return { samples }
}

async function prepare(seconds: number, env: Record<string, string>) {
  await using cleanUp = new AsyncDisposableStack()
  const stack = cleanUp.use(await startStack({ env: { ...NO_LIMIT, ...env }, processes: 'single' }))
  const workspace = cleanUp.use(await makeWorkspace(stack))
  const { all } = cleanUp.use(await kindsOf(stack, workspace))
  const kinds = all.filter(({ name }) => !OTHERS.includes(name))
  for (const kind of kinds) if (kind.name !== MAIL) await kind.run(1)
  const idle = await idleMicroseconds(stack, seconds)
  const owned = cleanUp.move()
  return {
    kinds,
    measure(name: string) {
      const kind = kinds.find((one) => one.name === name)
      if (kind === undefined) throw new Error(`there is no kind of work called ${name}`)
      return measure(stack, kind, seconds, idle)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
