import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'

const ROOT = join(import.meta.dirname, '..')
const CLAIMS = '## What proves it'
/** A file and the title of a test in it. */
const PROOF = /`([\w./-]+\.test\.ts)` “([^”]+)”/g
const TITLE = /\btest(?:\.serial)?\(\s*(?:'([^'\n]+)'|`([^`\n]+)`)/g

const SERVICES = ['gateway', 'auth', 'care-circle', 'inbox', 'sandbox', 'pipe', 'site']

const [, claims = ''] = readFileSync(join(ROOT, 'docs/security.md'), 'utf8').split(CLAIMS)

test('every claim in docs/security.md names a test that exists', (t) => {
  const lines = claims.split('\n- ').slice(1)
  t.true(lines.length > 20)
  t.deepEqual(
    lines.filter((line) => [...line.matchAll(PROOF)].length === 0),
    [],
  )
  const missing = [...claims.matchAll(PROOF)]
    .filter(([, file = '', title = '']) => !hasTest(file, title))
    .map(([proof]) => proof)
  t.deepEqual(missing, [])
})

test('the picture in docs/architecture.md has an arrow for every call between services in its table', (t) => {
  const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
  const called = [...text.matchAll(/^\| (\S+) +\| (.+?) +\| .+ \|$/gm)]
    .flatMap(([, from, to = '']) => to.split(', ').map((name) => `${from} ${name}`))
    .filter(isBetweenServices)
  const [, picture = ''] = /```mermaid\nflowchart TB\n([\s\S]*?)```/.exec(text) ?? []
  const named = (side = '') =>
    side.split(' & ').map((name) => (name.replace(/\[.*/, '') === 'care' ? 'care-circle' : name))
  const drawn = [...picture.matchAll(/^ {2}([\w &]+) -- .+ --> ([\w &]+)/gm)].flatMap(([, from, to]) =>
    named(from).flatMap((caller) => named(to).map((callee) => `${caller} ${callee}`)),
  )
  t.true(called.length > 12)
  t.deepEqual([...new Set(called)].sort(), [...new Set(drawn)].filter(isBetweenServices).sort())
})

test('CONTRIBUTING.md names commands that exist, and the size at which the linter stops', (t) => {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const commands = [...text.matchAll(/`npm (?:run )?(?:-s )?([\w:]+)/g)].map(([, name = '']) => name)
  t.true(commands.length > 12)
  t.deepEqual(
    commands.filter((name) => !(name in scripts)),
    [],
  )
  const [, lines] = /the linter stops at (\d+) lines/.exec(text) ?? []
  t.regex(readFileSync(join(ROOT, 'biome.json'), 'utf8'), new RegExp(`"maxLines": ${lines}\\b`))
})

function isBetweenServices(arrow: string): boolean {
  return arrow.split(' ').every((name) => SERVICES.includes(name))
}

function hasTest(file: string, title: string): boolean {
  const path = [join(ROOT, file), join(ROOT, 'tests', file)].find((one) => existsSync(one))
  if (path === undefined) return false
  const titles = [...readFileSync(path, 'utf8').matchAll(TITLE)]
  return titles.some(([, plain, template]) => plain === title || (template !== undefined && fits(template, title)))
}

/** Whether a title made from values, such as `${name} is refused`, can be this one. */
function fits(template: string, title: string): boolean {
  const [begin = '', ...rest] = template.split(/\$\{[^}]*\}/)
  return title.startsWith(begin) && title.endsWith(rest.at(-1) ?? '') && rest.every((part) => title.includes(part))
}
