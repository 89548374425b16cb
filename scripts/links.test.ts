import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'ava'

const ROOT = join(import.meta.dirname, '..')
const list = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '')

const documents = list('*.md').map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))

test('every link in the documents leads to a file and a heading that exist', (t) => {
  t.deepEqual(documents.flatMap(brokenLinks), [])
})

test('every file the documents name exists', (t) => {
  const files = list()
  t.deepEqual(
    documents.flatMap((document) => missingFiles(document, files)),
    [],
  )
})

type Document = { path: string; text: string }

function brokenLinks({ path, text }: Document): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return targets
    .filter((target) => isLocal(target) && !targetExists(path, target))
    .map((target) => `${path}: ${target}`)
}

/** Targets that start with a slash are pages of the site, which have their own test. */
function isLocal(target: string): boolean {
  return !/^([a-z][a-z0-9+.-]*:|\/|\{)/i.test(target)
}

function targetExists(path: string, target: string): boolean {
  const [file = '', heading] = target.split('#')
  const found = file === '' ? path : join(dirname(path), file)
  if (!existsSync(join(ROOT, found))) return false
  if (heading === undefined || !found.endsWith('.md')) return true
  const headings = [...readFileSync(join(ROOT, found), 'utf8').matchAll(/^#+ (.+)$/gm)]
  return headings.some(([, words = '']) => toAnchor(words) === heading)
}

function toAnchor(words: string): string {
  return words
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** Files that a reader makes, so they are not in the repository. */
const MADE_BY_READERS = ['.vscode/mcp.json', 'event.json', 'users.conf']

/** Names in code marks that end like a source file, wholly or by their last parts. */
function missingFiles({ path, text }: Document, files: readonly string[]): string[] {
  const named = [...text.matchAll(/`([\w@./-]+\.(?:ts|mjs|proto|md|yaml|conf))`/g)].map(([, name = '']) => name)
  const own = join(dirname(path), '.').replace(/^\.$/, '')
  const isThere = (name: string) =>
    MADE_BY_READERS.includes(name) ||
    files.some((file) => file === name || file === join(own, name) || file.endsWith(`/${name}`))
  return [...new Set(named)].filter((name) => !isThere(name)).map((name) => `${path}: ${name}`)
}
