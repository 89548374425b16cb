import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { type Config, environmentToConfig } from './config.ts'
import { lockDataDir } from './data-dir-lock.ts'
import { type Plan, planStack } from './launch.ts'
import { howToConnect, printCodes, printEndpoints } from './print-endpoints.ts'
import { endProcesses } from './process-list.ts'
import { requireFreePorts } from './require-free-ports.ts'
import { runStack, type Stack } from './run-stack.ts'
import { services } from './services.ts'
import { readStackFile } from './stack-file.ts'
import type { Happening } from './supervise.ts'

// A process that has ended gives its ports back a moment later, and one that was just being started may be in no list: the

// A process that has ended gives its ports back a moment later, and one that was just being started may be in no list: the
// guard of the start that was killed ends it within five seconds.

// A process that has ended gives its ports back a moment later, and one that was just being started may be in no list: the
// guard of the start that was killed ends it within five seconds.
const UNTIL_LEFTOVERS_ARE_GONE_MS = 10_000

try {
  await start(environmentToConfig(readEnvironment()))
  process.exit(0)
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exit(1)
}

/** Runs everything on this machine until it is told to stop. */
async function start(config: Config) {
  say('Starting Family Care Inbox…')
  await using lock = await lockDataDir(config.dataDir)
  const hadLeftovers = await endLeftovers(config)
  await requireFreePorts(config.publicPorts, hadLeftovers ? UNTIL_LEFTOVERS_ARE_GONE_MS : 0)
  const isDevelopment = process.argv.includes('--dev')
  const plan = await planStack(config, { services, say, isDevelopment })
  await using stack = runStack(plan, report)
  if (isDevelopment) say(inspectors(plan))
  using _codes = config.outboxDir === undefined ? undefined : await printCodes(config.outboxDir, say)
  const onShutdownSignal = untilShutdownSignal(stack.crash)
  await Promise.race([onShutdownSignal, welcome(config, stack)])
  await onShutdownSignal
  say('Stopping…')
  await lock.leave()
}

async function welcome(config: Config, stack: Stack) {
  await stack.waitReady()
  const owner = await welcomeFamily(config, stack)
  say(printEndpoints(config, owner))
  say(`ready in ${(performance.now() / 1000).toFixed(1)} s. Ctrl-C stops it; the data is kept.`)
}

/** What runs is worth having without a demo in it. @returns the email address of the demo family's owner */
async function welcomeFamily(config: Config, stack: Stack): Promise<string | undefined> {
  try {
    const { owner, made } = await makeDemoFamily(stack)
    if (made) say(howToConnect(config, made))
    return owner
  } catch (error) {
    say(
      `No demo family could be made: ${error instanceof Error ? error.message : error}. Try: npm run ops -- demo seed`,
    )
    return undefined
  }
}

/** Ends what a start that was killed left running on this data folder. @returns whether there was such a start */
async function endLeftovers({ dataDir }: Config): Promise<boolean> {
  const left = await readStackFile(dataDir)
  if (left) await endProcesses(Object.values(left.processes))
  return left !== undefined
}

function inspectors({ inspectorPorts }: Plan): string {
  const lines = Object.entries(inspectorPorts).map(([name, port]) => `  ${name.padEnd(13)} 127.0.0.1:${port}`)
  return `Services restart when their source changes. Inspectors:\n${lines.join('\n')}`
}

function report(happening: Happening) {
  if ('died' in happening) say(`${happening.name} ended (${happening.died}) and is started again.`)
}

function say(line: string) {
  process.stdout.write(`${line}\n`)
}

// Ctrl-C reaches this process twice when npm passes it on as well: only a later one means "now".
// Ctrl-C reaches this process twice when npm passes it on as well: only a later one means "now".
const IMPATIENT_AFTER_MS = 1000

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP, or when the process that started this one is gone.
 * @param hurry called when somebody asks again because it takes too long
 */
function untilShutdownSignal(hurry: () => Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    let toldAt: number | undefined
    const tell = () => {
      toldAt ??= Date.now()
      resolve()
      if (Date.now() - toldAt > IMPATIENT_AFTER_MS) void hurry()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, tell)
    process.on('disconnect', tell)
    // Nobody reads the lines any more when the terminal is closed; that is no reason to stop halfway.
    process.stdout.on('error', () => {})
  })
}

/** What is kept of the demo family: which it is, and whom to sign in as to see it. */
type Mark = { workspaceId: string; owner?: string }

/**
 * Makes the demo family on a data folder that has none yet. A start that was ended half-way through leaves no mark, and the
 * next one makes another family, whose key can be shown.
 * @returns the owner's email address, and the family if it is new
 */
async function makeDemoFamily(stack: Stack): Promise<{ owner?: string; made?: DemoFamily }> {
  const path = join(stack.dataDir, 'demo-family.json')
  const mark: Mark | undefined = await readFile(path, 'utf8').then(JSON.parse, () => undefined)
  if (mark) return { owner: mark.owner }
  const { seedDemo } = await import('@family-inbox/ops/demo-seed')
  const made = await seedDemo(stack.target)
  const { owner } = made.people
  await writeFile(path, JSON.stringify({ workspaceId: made.workspaceId, owner } satisfies Mark))
  return { owner, made }
}
