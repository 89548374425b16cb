import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Its files are no room: each is a node of its own. */
const ROOT_FOLDER = /^(?:(?:packages|services)\/[^/]+\/src|deploy\/src|bench|scripts)$/

export type Source = { path: string; lines: string[]; imports: string[] }

/** The source outside tests, with the files that each imports, types included. */
export function readSources(): Source[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.mjs'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const isSource = (path: string) =>
    /^(packages|services|bench|scripts|deploy)\//.test(path) && !path.endsWith('.test.ts')
  return [...new Set(listed.split('\n').filter(isSource))].flatMap((path) => {
    try {
      const text = readFileSync(join(ROOT, path), 'utf8')
      return [{ path, lines: text.trimEnd().split('\n'), imports: importsOf(path, text) }]
    } catch {
      return [] // deleted and not yet committed
    }
  })
}

/** Groups of files that import one another. */
export function fileCircles(sources: readonly Source[]): string[][] {
  return findCircles(new Map(sources.map(({ path, imports }) => [path, new Set(imports)])))
}

/** Groups of folders whose files import one another. A folder inside another is a node of its own. */
export function folderCircles(sources: readonly Source[]): string[][] {
  const arrows = new Map<string, Set<string>>()
  for (const { path, imports } of sources) {
    const folder = folderOf(path)
    const known = arrows.get(folder) ?? new Set()
    arrows.set(folder, known)
    for (const to of imports) if (folderOf(to) !== folder) known.add(folderOf(to))
  }
  return findCircles(arrows)
}

function folderOf(path: string): string {
  return ROOT_FOLDER.test(dirname(path)) ? path : dirname(path)
}

function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].flatMap(([, name = '']) => {
    if (name.startsWith('.')) return [relative(ROOT, resolve(ROOT, dirname(path), name))]
    const [, owner, file] = /^@family-inbox\/([^/]+)\/(.+)$/.exec(name) ?? []
    return owner && file ? [`packages/${owner}/src/${file}.ts`, `services/${owner}/src/${file}.ts`] : []
  })
}

function findCircles(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reached = new Map([...arrows.keys()].map((node) => [node, reachableFrom(node, arrows)]))
  const inCircle = [...arrows.keys()].filter((node) => reached.get(node)?.has(node))
  const circles = inCircle.map((node) =>
    inCircle.filter((other) => reached.get(node)?.has(other) && reached.get(other)?.has(node)),
  )
  return circles.filter(([first], position) => first === inCircle[position])
}

function reachableFrom(node: string, arrows: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const seen = new Set<string>()
  const waiting = [...(arrows.get(node) ?? [])]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next) || !arrows.has(next)) continue
    seen.add(next)
    waiting.push(...(arrows.get(next) ?? []))
  }
  return seen
}
