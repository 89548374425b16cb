import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'ava'

const ROOT = join(import.meta.dirname, '..')
const HOP = /^(HTTP|SMTP|stream [A-Z_]+|gRPC [A-Za-z]+)\b/

/** An arrow of a sequence diagram that names a file: `from->>to: label<br/>path`. In a package, the path is the whole one. */
type Step = {
  from: string
  to: string
  caller: string | undefined
  callee: string | undefined
  label: string
  file: string
  line: string
}

const walks = readWalks(readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8'))
const contract = grep(['-hoE', 'rpc [A-Za-z]+', '--', 'proto/*.proto'])

test('docs/architecture.md has four walks and three pages, each through several files', (t) => {
  t.is(walks.length, 7)
  for (const walk of walks) t.true(walk.length > 10)
})

test('every file that a walk names exists', (t) => {
  t.deepEqual(
    complaints(walks.flat(), ({ file }) => existsSync(join(ROOT, file))),
    [],
  )
})

test('a step between services is HTTP, SMTP, a stream, or a gRPC method of the contract in its own file', (t) => {
  const hops = walks.flat().filter(({ from, to }) => from !== to)
  t.deepEqual(complaints(hops, isHop), [])
})

test('a step inside a service follows an import of an earlier step there, or runs in the background', (t) => {
  t.deepEqual(
    walks.flatMap((walk) => complaints(walk, (step) => step.from !== step.to || isReached(walk, step))),
    [],
  )
})

function readWalks(text: string): Step[][] {
  const diagrams = [...text.matchAll(/```mermaid\nsequenceDiagram\n([\s\S]*?)```/g)].map(([, body = '']) => body)
  return diagrams.map((body) => {
    const names = new Map([...body.matchAll(/participant (\w+)(?: as (.+))?/g)].map(([, id, name]) => [id, name ?? id]))
    return [...body.matchAll(/^ *(\w+)->>(\w+): (.+)<br\/>(\S+)$/gm)].map(
      ([line, from = '', to = '', label = '', path]) => {
        return {
          from,
          to,
          caller: names.get(from),
          callee: names.get(to),
          label,
          file: path?.startsWith('packages/') ? path : `services/${names.get(to)}/src/${path}`,
          line: line.trim(),
        }
      },
    )
  })
}

function isHop({ caller, label, file }: Step): boolean {
  const [, method] = /^gRPC (\w+)/.exec(label) ?? []
  if (method === undefined) return HOP.test(label)
  const call = `.${method[0]?.toLowerCase()}${method.slice(1)}(`
  if (grep(['-lF', call, '--', `services/${caller}/src/`, 'packages/workspace-kit/src/']) === '') return false
  const fileOfMethod = `/rpc/${method.replace(/(?!^)[A-Z]/g, '-$&').toLowerCase()}.ts`
  return contract.split('\n').includes(`rpc ${method}`) && file.endsWith(fileOfMethod)
}

/** Where a service names what it does in the background. */
const STARTS = ['service.ts', 'background.ts']

/** Directly, or by what the service was started with: its context and its background work. */
function isReached(walk: Step[], step: Step): boolean {
  if (step.label.startsWith('in the background, '))
    return STARTS.some((name) => importsOf(`services/${step.callee}/src/${name}`).includes(step.file))
  const earlier = walk.slice(0, walk.indexOf(step)).filter(({ to }) => to === step.to)
  const context = `services/${step.callee}/src/context.ts`
  return earlier.some(({ file }) => {
    const imported = importsOf(file)
    if (imported.includes(step.file) || importsOf(step.file).includes(file)) return true
    return imported.includes(context) && importsOf(context).includes(step.file)
  })
}

function importsOf(file: string): string[] {
  if (!existsSync(join(ROOT, file))) return []
  const imports = readFileSync(join(ROOT, file), 'utf8').matchAll(/ from '(\.[^']+|@family-inbox\/[^']+)'/g)
  return [...imports].map(([, name = '']) => {
    const [, project, path] = /^@family-inbox\/([^/]+)\/(.+)$/.exec(name) ?? []
    return project === undefined ? join(dirname(file), name) : `packages/${project}/src/${path}.ts`
  })
}

function complaints(steps: Step[], isFine: (step: Step) => boolean): string[] {
  return steps.filter((step) => !isFine(step)).map(({ line }) => line)
}

function grep(args: string[]): string {
  return spawnSync('git', ['grep', ...args], { cwd: ROOT, encoding: 'utf8' }).stdout
}
