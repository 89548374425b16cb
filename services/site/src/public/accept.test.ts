import test from 'ava'
import fc from 'fast-check'
import { chooseType } from './accept.ts'

const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'
const OFFERED = [HTML, MARKDOWN] as const

const table: [string | undefined, (typeof OFFERED)[number] | undefined][] = [
  [undefined, HTML],
  ['', HTML],
  ['  ', HTML],
  ['*/*', HTML],
  ['text/*', HTML],
  ['text/html', HTML],
  ['text/markdown', MARKDOWN],
  ['text/markdown;', MARKDOWN],
  ['text/markdown; ;q=0.5;, text/html;q=0.1', MARKDOWN],
  ['text/html;q=0;, text/markdown ; ', MARKDOWN],
  ['TEXT/MarkDown', MARKDOWN],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', HTML],
  ['text/markdown, text/html;q=0.9', MARKDOWN],
  ['text/markdown, text/html', MARKDOWN],
  ['text/html, text/markdown', HTML],
  ['text/markdown;q=0.5, */*;q=0.1', MARKDOWN],
  ['text/markdown, */*', MARKDOWN],
  ['text/html;q=0', undefined],
  ['text/html;q=0, */*', MARKDOWN],
  ['text/markdown;q=0, */*', HTML],
  ['text/*;q=0', undefined],
  ['*/*;q=0', undefined],
  ['*/*;q=0, text/markdown;q=0.001', MARKDOWN],
  ['application/json', undefined],
  ['application/json, text/*;q=0.1', HTML],
  ['text/html;charset=UTF-8', HTML],
  ['text/markdown; charset="utf-8"', MARKDOWN],
  ['text/html;level=1', undefined],
  ['text/html;level=1, text/html;q=0.3', HTML],
  // Invalid ranges are ignored.
  ['garbage', HTML],
  [',,,', HTML],
  ['text/html;q=2, text/markdown;q=0.1', MARKDOWN],
  ['text/html;q=abc, text/markdown;q=0.1', MARKDOWN],
  ['text/html;q=0.1234, text/markdown;q=0.1', MARKDOWN],
  ['text/html;q=1;q=0, text/markdown;q=0.1', MARKDOWN],
  ['*/html, text/markdown', MARKDOWN],
  ['text/html/x, text/markdown', MARKDOWN],
  ['text/markdown;title="a, b;q=0"', undefined],
  ['application/json;title="a, text/html"', undefined],
  ['"text/html', HTML],
]
for (const [accept, expected] of table)
  test(`Accept: ${JSON.stringify(accept)} is answered with ${expected ?? '406'}`, (t) => {
    t.is(chooseType(accept, OFFERED), expected)
  })

type Range = { type: string; subtype: string; charset: boolean; weight: number }

const range: fc.Arbitrary<Range> = fc
  .record({
    type: fc.constantFrom('text', 'text', 'application', 'TEXT'),
    subtype: fc.constantFrom('html', 'markdown', '*', 'json', 'HTML'),
    charset: fc.boolean(),
    weight: fc.oneof(
      fc.constantFrom(0, 1, 1, 0.5),
      fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000),
    ),
  })
  .chain((made) => fc.constantFrom(made, made, made, { ...made, type: '*', subtype: '*', charset: false }))
  .map((made) => ({ ...made, charset: made.charset && made.subtype !== '*' }))

/** An independent implementation of RFC 9110 section 12.5.1. */
function expectedOf(ranges: readonly Range[]): string | undefined {
  const acceptable = OFFERED.map((offered, order) => {
    const subtype = offered.slice('text/'.length).split(';')[0]
    const covering = ranges
      .map((one, index) => ({ ...one, index, precision: precisionOf(one, subtype) }))
      .filter(({ precision }) => precision > 0)
    const closest = Math.max(0, ...covering.map(({ precision }) => precision))
    const best = covering
      .filter(({ precision }) => precision === closest)
      .sort((a, b) => b.weight - a.weight || a.index - b.index)[0]
    return { offered, order, weight: best?.weight ?? 0, precision: closest, index: best?.index ?? 0 }
  }).filter(({ weight }) => weight > 0)
  const ranked = acceptable.sort(
    (a, b) => b.weight - a.weight || b.precision - a.precision || a.index - b.index || a.order - b.order,
  )
  return ranked[0]?.offered
}

function precisionOf({ type, subtype, charset }: Range, offered: string | undefined): number {
  if (type === '*') return 1
  if (type.toLowerCase() !== 'text') return 0
  if (subtype === '*') return 2
  if (subtype.toLowerCase() !== offered) return 0
  return charset ? 4 : 3
}

test('10,000 random Accept headers are read as RFC 9110 says', (t) => {
  const blank = fc.constantFrom('', ' ', '\t', '  ')
  const headers = fc.array(fc.tuple(range, blank, blank), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(headers, (members) => {
      const ranges = members.map(([one]) => one)
      // RFC 9110 does not define what two ranges for the same type mean.
      const names = ranges.map(({ type, subtype, charset }) => `${type}/${subtype}/${charset}`.toLowerCase())
      fc.pre(new Set(names).size === names.length)
      const written = members.map(([{ type, subtype, charset, weight }, a, b]) => {
        const parameter = charset ? `${a};${b}charset=utf-8` : ''
        return `${a}${type}/${subtype}${parameter}${weight === 1 ? '' : `${b};${a}q=${weight}`}${b}`
      })
      return chooseType(written.join(','), OFFERED) === expectedOf(ranges)
    }),
    { numRuns: 10_000 },
  )
  t.pass()
})

test('a hostile Accept header gets one of the types that are offered', (t) => {
  const hostile = [
    '"'.repeat(100_000),
    '\\"'.repeat(50_000),
    'text/html;'.repeat(10_000),
    ',"'.repeat(50_000),
    'é☃\u0000'.repeat(9),
  ]
  for (const accept of hostile) t.true([...OFFERED, undefined].includes(chooseType(accept, OFFERED) as typeof HTML))
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (accept) => {
      chooseType(accept, OFFERED)
    }),
  )
})
