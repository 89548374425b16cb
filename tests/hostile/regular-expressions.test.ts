import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { type Expression, type Program, parse } from 'acorn'
import { simple } from 'acorn-walk'
import test from 'ava'
import { analyse } from 'scslre'

const ROOT = join(import.meta.dirname, '../..')

/** Patterns built at run time, and why each is linear. */
const COMPUTED: Record<string, string> = {
  'packages/mail-reader/src/calendar/calendar-text.ts': 'White space to the letter, after the end of a line.',
  'packages/mail-reader/src/text/placeholder.ts': 'One bounded repetition, at the start.',
  'packages/mail-reader/src/text/said.ts': 'A choice of fixed patterns, with bounded repetitions only.',
  'packages/mail-reader/src/text/sensitive-asks.ts':
    'Two choices of fixed patterns, and at most 70 characters between them.',
  'packages/mail-reader/src/text/category.ts': 'A choice of fixed words, without a repetition.',
  'packages/service-kit/src/text/words.ts': 'One repetition of one set of characters.',
  'services/inbox/src/models/index-words.ts': 'Words of at most 40 letters and digits, without a repetition.',
  'packages/service-kit/src/text/clean-text.ts': 'A choice of two fixed patterns, each with one repetition of one set.',
}

type Found = { where: string; source: string; flags: string }

/** Every pattern in the code: literals, and `new RegExp` with readable arguments. */
function patternsOf(file: string): { found: Found[]; computed: string[] } {
  const program = parse(stripTypeScriptTypes(readFileSync(join(ROOT, file), 'utf8')), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
  })
  const constants = constantsOf(program)
  const found: Found[] = []
  const computed: string[] = []
  const addCall = ({ callee, arguments: [pattern, flags], loc }: Call) => {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return
    const where = `${file}:${loc?.start.line}`
    const source = pattern && textOf(pattern as Expression, constants)
    if (source === undefined) computed.push(where)
    else found.push({ where, source, flags: flags ? (textOf(flags as Expression, constants) ?? '') : '' })
  }
  simple(program, {
    Literal({ regex, loc }) {
      if (regex) found.push({ where: `${file}:${loc?.start.line}`, source: regex.pattern, flags: regex.flags })
    },
    NewExpression: addCall,
    CallExpression: addCall,
  })
  return { found, computed }
}

type Call = Pick<import('acorn').NewExpression | import('acorn').CallExpression, 'callee' | 'arguments' | 'loc'>

function constantsOf({ body }: Program): Map<string, Expression> {
  const constants = new Map<string, Expression>()
  for (const statement of body)
    if (statement.type === 'VariableDeclaration' && statement.kind === 'const')
      for (const { id, init } of statement.declarations)
        if (id.type === 'Identifier' && init) constants.set(id.name, init)
  return constants
}

/** A string in the code, direct or through constants. */
function textOf(expression: Expression, constants: Map<string, Expression>): string | undefined {
  if (expression.type === 'Literal') return typeof expression.value === 'string' ? expression.value : undefined
  if (expression.type === 'Identifier') {
    const constant = constants.get(expression.name)
    return constant && textOf(constant, constants)
  }
  if (expression.type !== 'TemplateLiteral') return undefined
  const parts = expression.expressions.map((part) => textOf(part, constants))
  if (parts.includes(undefined)) return undefined
  return expression.quasis.map(({ value }, nth) => `${value.cooked}${parts[nth] ?? ''}`).join('')
}

/** Describes how a pattern can exceed linear time; empty when it cannot. */
function weaknessesOf({ where, source, flags }: Found): string[] {
  return analyse({ source, flags }).reports.map(
    ({ type, character, exponential }) =>
      `${where} /${source}/${flags}: ${exponential ? 'exponential' : 'quadratic'} (${type}) in ${character.literal.source}`,
  )
}

test('the check finds quadratic and exponential patterns', (t) => {
  for (const source of ['url\\(\\s*[\'"]?\\s*//', '^(a+)+$', '[.,]+$', '^.*a.*b$'])
    t.not(weaknessesOf({ where: '', source, flags: '' }).length, 0, source)
})

test('no pattern on untrusted input takes more than linear time', (t) => {
  const files = globSync('{packages,services}/*/src/**/*.{ts,js}', { cwd: ROOT }).filter(
    (file) => !/\.test\.ts$/.test(file),
  )
  t.true(files.length > 300)
  const all = files.map(patternsOf)
  const found = all.flatMap((one) => one.found)
  t.true(found.length > 150, `${found.length} patterns`)
  t.deepEqual(found.flatMap(weaknessesOf), [])
  const computed = new Set(all.flatMap((one) => one.computed.map((where) => where.replace(/:\d+$/, ''))))
  t.deepEqual([...computed].sort(), Object.keys(COMPUTED).sort(), 'each with a reason')
})
