import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'

const ROOT = join(import.meta.dirname, '..')
const CLAIMS = '## What proves it'
/** A file and the title of a test in it. */
const PROOF = /`([\w./-]+\.test\.ts)` “([^”]+)”/g
const TITLE = /\btest(?:\.serial)?\(\s*(?:'([^'\n]+)'|`([^`\n]+)`)/g

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
