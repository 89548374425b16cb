// `npm test`: the checks, then every test of the fast tier. `npm run test:long` and `npm run test:cluster`: the tests of that tier.
// `npm run unit`: the tests that start no server. With arguments, such as a file or `--match`, only those tests.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkAll } from './testing/check-all.ts'
import { measureCosts, printCosts } from './testing/costs.ts'
import { countTests, type Outcome } from './testing/count-tests.ts'
import { failedFiles, flakyTests, strayFailures } from './testing/failed-files.ts'
import { run, say } from './testing/run.ts'
import { shareImages } from './testing/share-images.ts'
import { useMemory } from './testing/temporary-folder.ts'
import {
  type Company,
  companyOf,
  isUnit,
  sharesWorker,
  type Tier,
  testFiles,
  tierOf,
  UNIT_PARTS,
} from './testing/tiers.ts'

const ROOT = join(import.meta.dirname, '..')
/** One more than there are parts, for the files that wait in a worker of their own. */
const UNIT_LANES = `--concurrency=${UNIT_PARTS.length + 1}`

/** What runs after all else, in this order. */
const APART: readonly { company: Company; lanes: number; what: string }[] = [
  { company: 'patient', lanes: 3, what: 'what waits for most of its time' },
  { company: 'none', lanes: 1, what: 'one at a time what needs the machine for itself' },
]

// Unless a test asks for seven processes: one starts with a third of the processor time.
process.env.PROCESSES ??= 'single'
// Most of what Go programs do here, such as kustomize and the linters, takes a second: collecting its garbage is a third of it.
process.env.GOGC ??= '400'

const TIER_OF_FLAG: Readonly<Record<string, Tier>> = { '--long': 'long', '--cluster': 'cluster' }
const given = process.argv.slice(2)
const tier = given.map((arg) => TIER_OF_FLAG[arg]).find((named) => named !== undefined) ?? 'fast'
const isUnitRun = given.includes('--unit')
const chosen = given.filter((arg) => !(arg in TIER_OF_FLAG) && arg !== '--unit')
const isWhole = chosen.length === 0

const outcomes = new Map<string, Outcome>()
if (isWhole && tier === 'fast' && !isUnitRun)
  for (const [name, outcome] of await checkAll()) outcomes.set(name, outcome)
outcomes.set('tests', await runTests(isWhole ? filesOfTier() : chosen))
summarize(outcomes)

/** The files that AVA runs: most unit tests share a few workers. */
function filesOfTier(): string[] {
  const files = testFiles().filter((file) => tierOf(file) === tier && (isUnit(file) || !isUnitRun))
  return [...(tier === 'fast' ? UNIT_PARTS : []), ...files.filter((file) => !sharesWorker(file))]
}

async function runTests(args: string[]): Promise<Outcome> {
  const paths = args.filter((arg) => /^[a-z]+\//.test(arg))
  const needsStack = paths.length === 0 || !paths.every((path) => isUnit(path) || UNIT_PARTS.includes(path))
  using cleanUp = new DisposableStack()
  const costs = cleanUp.use(measureCosts())
  if (needsStack && tier !== 'cluster') cleanUp.use(useMemory())
  if (isWhole && tier === 'long') cleanUp.use(shareImages())
  const runs = await runInCompany(args, needsStack)
  if (isWhole && !isUnitRun) printCosts(tier, costs)
  const output = runs.map((run) => run.output).join('')
  const first = sumOf(runs.map((run) => countTests(run.output, run.code)))
  const failed = failedFiles(output, isFile)
  // A flaky test is a bug, so it fails the run. CI machines are shared, so CI retries once.
  return process.env.CI && failed.length > 0 ? await runAgain(failed, first, output) : first
}

/** Runs together what bears it, then the rest. */
async function runInCompany(args: string[], needsStack: boolean) {
  const inCompany = (company: Company) => args.filter((arg) => (isWhole ? companyOf(arg) : 'any') === company)
  const others = inCompany('any')
  const env = needsStack ? await fetchPrograms() : {}
  const runs = []
  if (others.length > 0)
    runs.push(needsStack ? await runOnSharedStack(others, env) : await ava([...others, UNIT_LANES]))
  for (const { company, lanes, what } of APART) {
    const files = inCompany(company)
    if (files.length > 0) runs.push(await runApart(files, lanes, what, env))
  }
  return runs
}

/** Loaded only if needed: a unit test should not wait for what starts stacks. */
async function fetchPrograms(): Promise<NodeJS.ProcessEnv> {
  const { fetchPrograms: fetch } = await import('./testing/fetch-programs.ts')
  return fetch(tier)
}

async function runOnSharedStack(files: string[], env: NodeJS.ProcessEnv) {
  const { openSharedStacks } = await import('./testing/shared-stacks.ts')
  await using shared = await openSharedStacks()
  say('Running tests…')
  return await ava(files, { ...env, ...shared.env })
}

/** Runs files beside each other alone, with no stack but their own. */
function runApart(files: string[], lanes: number, what: string, env: NodeJS.ProcessEnv) {
  say(`\nRunning ${what}…`)
  return ava([...files, `--concurrency=${lanes}`], env)
}

/** Runs each failed file again, alone, on its own stack. Tests that pass now count as passed, but are named. */
async function runAgain(files: string[], first: Outcome, before: string): Promise<Outcome> {
  const flaky: string[] = []
  const stray = strayFailures(before, isFile)
  let failed = stray.length
  for (const file of files) {
    say(`\nRunning again: ${file}`)
    const { code, output } = await ava([file])
    failed += countTests(output, code).failed
    const tests = flakyTests(file, before, output)
    // A file that crashed or hung names no test.
    flaky.push(...(tests.length === 0 && code === 0 ? [file] : tests))
  }
  say('')
  for (const name of stray) say(`FAILED, in a file that was not found: ${name}`)
  for (const name of flaky) say(`FLAKY, passed when run again: ${name}`)
  return { ...first, passed: first.passed + Math.max(first.failed - failed, 0), failed }
}

function isFile(path: string): boolean {
  return existsSync(join(ROOT, path))
}

function ava(args: string[], env: NodeJS.ProcessEnv = {}) {
  const entry = join(ROOT, 'node_modules/ava/entrypoints/cli.js')
  const cached = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/node-compile'), ...env }
  return run(ROOT, process.execPath, [entry, ...args], (chunk) => process.stdout.write(chunk), cached)
}

/** The last line is `N passed, N failed`. */
function summarize(all: ReadonlyMap<string, Outcome>) {
  say('')
  for (const [name, { passed, failed, skipped }] of all)
    say(`${name}: ${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`)
  const { passed, failed } = sumOf([...all.values()])
  say(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

function sumOf(outcomes: readonly Outcome[]): Outcome {
  const sum = (key: keyof Outcome) => outcomes.reduce((total, outcome) => total + outcome[key], 0)
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }
}
