// `npm test`: all checks and tests, cheapest first. With arguments, such as a file or `--match`, only those tests.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findMongod } from '../packages/local-stack/src/binaries/find-mongod.ts'
import { findNatsServer } from '../packages/local-stack/src/binaries/find-nats-server.ts'
import { SHARED_MONGOD, startStack } from '../packages/local-stack/src/stack.ts'
import { SHARED_STACK, startSharedStack } from '../tests/_shared-stack.ts'
import { findClusterTools } from '../tests/cluster/_tools.ts'
import { countTests, type Outcome } from './count-tests.ts'
import { failedFiles, flakyTests } from './failed-files.ts'

const ROOT = join(import.meta.dirname, '..')
const BIN = join(ROOT, 'node_modules/.bin')

// Unless a test asks for seven processes: one starts with a third of the processor time.
process.env.PROCESSES ??= 'single'

const outcomes = new Map<string, Outcome>()
const chosen = process.argv.slice(2)
if (chosen.length === 0) await checkAll()
outcomes.set('tests', await runTests(chosen))

summarize(outcomes)

async function checkAll(): Promise<void> {
  const proto = join(ROOT, 'proto')
  const buf = 'node_modules/.bin/buf'
  outcomes.set('types', await check('Checking types', ROOT, join(BIN, 'tsc'), '--noEmit'))
  outcomes.set('lint and format', await check('Checking lint and format', ROOT, join(BIN, 'biome'), 'ci', '.'))
  outcomes.set('promises', await check('Checking for floating promises', ROOT, join(BIN, 'oxlint'), '--type-aware'))
  outcomes.set('contract', await check('Checking proto/', proto, buf, 'lint'))
  outcomes.set(
    'compatibility',
    await check('Checking proto/ for breaking changes', proto, buf, 'breaking', '--against', 'released.binpb'),
  )
}

/** Runs a check, which counts as one test. Shows its output if it fails. */
async function check(title: string, cwd: string, file: string, ...args: string[]): Promise<Outcome> {
  const startedAt = performance.now()
  say(`${title}…`)
  const { code, output } = await run(cwd, file, args, () => {})
  if (code !== 0) say(output)
  say(`${title}: ${code === 0 ? 'passed' : 'failed'} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

async function runTests(args: string[]): Promise<Outcome> {
  // Downloaded here, where progress is visible, not concurrently in each test file.
  const search = { env: process.env, say }
  await Promise.all([findMongod(search), findNatsServer(search), findClusterTools(search).catch(sayError)])
  const { code, output } = await runShared(args)
  const first = countTests(output, code)
  const files = failedFiles(output, isFile)
  // A flaky test is a bug, so it fails the run. CI machines are shared, so CI retries once.
  return process.env.CI && files.length > 0 ? runAgain(files, first, output) : first
}

/** Most files share a stack, and most stacks a mongod, each with databases of its own. */
async function runShared(args: string[]) {
  say('Starting the shared stack…')
  await using cleanUp = new AsyncDisposableStack()
  const stores = await startStack({ services: [], ownMongod: true }).catch(sayError)
  if (stores) process.env[SHARED_MONGOD] = cleanUp.use(stores).mongoUri
  cleanUp.defer(() => void delete process.env[SHARED_MONGOD])
  // It also fills the compile cache for tests that start their own.
  const shared = await startSharedStack().catch(sayError)
  if (shared) cleanUp.use(shared)
  say('Running tests…')
  return await ava(args, { [SHARED_STACK]: shared?.file })
}

/** Runs each failed file again, alone, on its own stack. Tests that pass now count as passed, but are named. */
async function runAgain(files: string[], first: Outcome, before: string): Promise<Outcome> {
  const flaky: string[] = []
  let failed = 0
  for (const file of files) {
    say(`\nRunning again: ${file}`)
    const { code, output } = await ava([file])
    failed += countTests(output, code).failed
    const tests = flakyTests(file, before, output)
    // A file that crashed or hung names no test.
    flaky.push(...(tests.length === 0 && code === 0 ? [file] : tests))
  }
  say('')
  for (const name of flaky) say(`FLAKY, passed when run again: ${name}`)
  return { passed: first.passed + Math.max(first.failed - failed, 0), failed }
}

function isFile(path: string): boolean {
  return existsSync(join(ROOT, path))
}

function ava(args: string[], env: NodeJS.ProcessEnv = {}) {
  const entry = join(ROOT, 'node_modules/ava/entrypoints/cli.js')
  const cached = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/node-compile'), ...env }
  return run(ROOT, process.execPath, [entry, ...args], (chunk) => process.stdout.write(chunk), cached)
}

function run(cwd: string, file: string, args: string[], show: (chunk: Buffer) => void, added: NodeJS.ProcessEnv = {}) {
  const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
  const env = { ...process.env, ...colour, ...added }
  const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], env })
  return new Promise<{ code: number; output: string }>((resolve, reject) => {
    let output = ''
    const collect = (chunk: Buffer) => {
      show(chunk)
      output += chunk
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/** The last line is `N passed, N failed`. */
function summarize(all: ReadonlyMap<string, Outcome>) {
  say('')
  for (const [name, { passed, failed }] of all) say(`${name}: ${passed} passed, ${failed} failed`)
  const total = (key: keyof Outcome) => [...all.values()].reduce((sum, outcome) => sum + outcome[key], 0)
  say(`\n${total('passed')} passed, ${total('failed')} failed`)
  process.exitCode = total('failed') === 0 ? 0 : 1
}

/** Tests that need it will fail with the same message. */
function sayError(error: Error): undefined {
  say(error.message)
}

function say(line: string) {
  process.stdout.write(`${line}\n`)
}
