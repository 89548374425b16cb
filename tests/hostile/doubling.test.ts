import test from 'ava'
import { PARSERS, type Parser, SHAPES } from './_parsers.ts'

const MAX_GROWTH = 2.6
/** Nobody has to measure again: a quadratic parser would have to look several times as fast. */
const CLEARLY_LINEAR = 2.15
/** Measured over so many doublings: a machine's moods make one of them look slow, but not three. */
const DOUBLINGS = 3
/** Below this, the clock and the garbage collector decide; the longest input is then no danger either. */
const FLOOR_MS = 30
/** The least of several rounds: another process on the machine makes some of them slower. */
const MAX_ROUNDS = 40

for (const parser of PARSERS)
  test.serial(`${parser.name} takes at most 2.6 times as long for twice the input`, async (t) => {
    const slow: string[] = []
    for (const shape of SHAPES) {
      const growth = await growthOf(parser, shape)
      if (growth > MAX_GROWTH) slow.push(`${JSON.stringify(shape)}: ${growth.toFixed(1)} times`)
    }
    t.deepEqual(slow, [])
  })

/** How the time grows with each doubling up to the limit; 1 when it is negligible. */
async function growthOf(parser: Parser, shape: string): Promise<number> {
  const parts = 2 ** DOUBLINGS
  const [part, whole] = [inputOf(parser, shape, parser.limit / parts), inputOf(parser, shape, parser.limit)]
  // A linear parser takes as long for all parts as for the whole.
  const growth = () => 2 * (large / small) ** (1 / DOUBLINGS)
  let large = await cpuMs(parser, whole)
  if (large < FLOOR_MS) return 1
  let small = Number.POSITIVE_INFINITY
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    small = Math.min(small, await cpuMs(parser, part, parts))
    if (growth() <= CLEARLY_LINEAR) break
    large = Math.min(large, await cpuMs(parser, whole))
    if (large < FLOOR_MS) return 1
    // Two rounds, or one slow measurement of the parts would hide a slow parser.
    if (round > 0 && growth() <= MAX_GROWTH) break
  }
  return growth()
}

function inputOf({ begin = '' }: Parser, shape: string, length: number): string {
  return begin + shape.repeat(Math.max(1, Math.floor((length - begin.length) / shape.length)))
}

async function cpuMs({ parse }: Parser, input: string, times = 1): Promise<number> {
  const before = process.threadCpuUsage()
  for (let nth = 0; nth < times; nth += 1) await parse(input)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
