import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import { ConfigError, readEnvironment } from '@family-inbox/service-kit/config/config'
import { PRODUCT } from '@family-inbox/workspace-kit/product'
import { type Config, type Env, environmentToConfig } from './config.ts'
import { lockDataDir } from './data-dir-lock.ts'
import { makeNightlyBackups } from './nightly-backups.ts'
import { type Plan, planStack } from './plan.ts'
import { prepareData, recordVersions } from './prepare-data.ts'
import { connectionHelp, dkimHelp, printCodes, printEndpoints, setUpHelp } from './print-endpoints.ts'
import { endProcesses } from './process-list.ts'
import { requireFreePorts } from './require-free-ports.ts'
import { runStack, type Stack } from './run-stack.ts'
import { services } from './services.ts'
import { readStackFile } from './stack-file.ts'
import type { ProcessEvent } from './supervise.ts'

// Ports are released a moment after their process ends; a process that no list names is ended by the reaper within 5 s.
const LEFTOVERS_TIMEOUT_MS = 10_000
// npm passes Ctrl-C on, so this process gets it twice. Only a later one means "now".
const REPEAT_AFTER_MS = 1000

/** EX_CONFIG of sysexits.h: the same start would fail again, so deploy/systemd does not repeat it. */
const NOT_UNTIL_CHANGED = 78

const USAGE = `npm start                every service in a process of its own
npm start -- --single    all services in one process: half the memory
npm start -- --replicas  two of each service, three mongods and three nats-servers
npm run dev              restarts a service when its source changes

Settings are environment variables: docs/operations.md lists them.`

type Options = { single?: boolean; replicas?: boolean; dev?: boolean; help?: boolean }

try {
  const options = readOptions()
  if (options.help) say(USAGE)
  else await start(toConfig(options), options)
  process.exit(0)
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exit(error instanceof ConfigError ? NOT_UNTIL_CHANGED : 1)
}

/** Throws for an unknown option. */
function readOptions(): Options {
  const flag = { type: 'boolean' } as const
  return parseArgs({ options: { single: flag, replicas: flag, dev: flag, help: { ...flag, short: 'h' } } }).values
}

function toConfig({ single, replicas }: Options): Config {
  const env = replicas ? separately(readEnvironment()) : readEnvironment()
  return environmentToConfig(single ? { ...env, PROCESSES: 'single' } : env)
}

async function start(config: Config, { dev: isDevelopment = false, replicas: isReplicated = false }: Options) {
  say(`Starting ${PRODUCT}…`)
  await using lock = await lockDataDir(config.dataDir)
  const hadLeftovers = await endLeftovers(config)
  await requireFreePorts(config.publicPorts, hadLeftovers ? LEFTOVERS_TIMEOUT_MS : 0)
  const plan = await planStack(config, { services, say, isDevelopment, isReplicated })
  await prepareData(plan, say)
  await using stack = runStack(plan, report)
  if (isDevelopment) say(inspectors(plan))
  using _codes = config.outboxDir === undefined ? undefined : await printCodes(config.outboxDir, say)
  const shutdownSignal = onShutdownSignal(stack.crash)
  await Promise.race([shutdownSignal, reportReady(plan, stack)])
  using _backups = config.hasBackups ? makeNightlyBackups(config, say) : undefined
  await shutdownSignal
  say('Stopping…')
  await lock.announceStop()
}

/** A single server must not continue the data of three: it may lack the last writes. */
function separately(env: Env): Env {
  return { ...env, PROCESSES: 'seven', DATA_DIR: join(env.DATA_DIR ?? '.data', 'replicas') }
}

async function reportReady(plan: Plan, stack: Stack) {
  const { config } = plan
  await stack.waitReady()
  await recordVersions(plan)
  const owner = config.isPublic ? await prepareSetUp(config, stack) : await prepareDemoFamily(config, stack)
  say(printEndpoints(config, owner))
  say(`ready in ${(performance.now() / 1000).toFixed(1)} s. Press Ctrl-C to stop. Your data is kept.`)
}

/** On a public address nobody meets a demo family. Each start prints a new code while there is no family. */
async function prepareSetUp({ env }: Config, stack: Stack): Promise<undefined> {
  if (await readDemoRecord(stack)) say(DEMO_IN_PUBLIC)
  const { createSetUpCode } = await import('@family-inbox/ops/set-up-code')
  try {
    const made = await createSetUpCode(stack.target)
    if (!made) return
    say(setUpHelp(made))
    const { findOwnRecord } = await import('@family-inbox/ops/doctor/dkim-check')
    const record = await findOwnRecord(env)
    if (record) say(dkimHelp(record))
  } catch (error) {
    say(
      `Could not create a set-up code: ${error instanceof Error ? error.message : error}. Try: npm run ops -- set-up-code`,
    )
  }
}

const DEMO_IN_PUBLIC =
  'This data folder has the demo family of an earlier start, whose key was printed. Set DATA_DIR to a new folder before others reach this address.'

/** The stack is useful without a demo family, so an error is only printed. @returns the owner's email address */
async function prepareDemoFamily(config: Config, stack: Stack): Promise<string | undefined> {
  try {
    const { owner, created } = await createDemoFamily(stack)
    if (created) say(connectionHelp(config, created))
    return owner
  } catch (error) {
    say(
      `Could not create the demo family: ${error instanceof Error ? error.message : error}. Try: npm run ops -- demo seed`,
    )
    return undefined
  }
}

/** Ends what a killed stack left running on this data folder. @returns whether there was one */
async function endLeftovers({ dataDir }: Config): Promise<boolean> {
  const left = await readStackFile(dataDir)
  if (left) await endProcesses(Object.values(left.processes))
  return left !== undefined
}

function inspectors({ inspectorPorts }: Plan): string {
  const lines = Object.entries(inspectorPorts).map(([name, port]) => `  ${name.padEnd(13)} 127.0.0.1:${port}`)
  return `Services restart when their source changes. Inspectors:\n${lines.join('\n')}`
}

function report(event: ProcessEvent) {
  if ('died' in event) say(`${event.name} exited (${event.died}) and will restart.`)
}

function say(line: string) {
  process.stdout.write(`${line}\n`)
}

/** Resolves on SIGINT, SIGTERM, SIGHUP or the parent's exit. @param forceStop called when another signal comes later */
function onShutdownSignal(forceStop: () => Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    const onSignal = () => {
      firstAt ??= Date.now()
      resolve()
      if (Date.now() - firstAt > REPEAT_AFTER_MS) void forceStop()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
    process.on('disconnect', onSignal)
    process.stdout.on('error', () => {})
  })
}

type DemoRecord = { workspaceId: string; owner?: string }

/** Creates the demo family once per data folder. An interrupted start leaves no record, so the next one creates another. */
async function createDemoFamily(stack: Stack): Promise<{ owner?: string; created?: DemoFamily }> {
  const record = await readDemoRecord(stack)
  if (record) return { owner: record.owner }
  const { seedDemo } = await import('@family-inbox/ops/demo-seed')
  const created = await seedDemo(stack.target)
  const { owner } = created.people
  await writeFile(
    demoRecordPath(stack),
    JSON.stringify({ workspaceId: created.workspaceId, owner } satisfies DemoRecord),
  )
  return { owner, created }
}

function readDemoRecord(stack: Stack): Promise<DemoRecord | undefined> {
  return readFile(demoRecordPath(stack), 'utf8').then(JSON.parse, () => undefined)
}

function demoRecordPath({ dataDir }: Stack): string {
  return join(dataDir, 'demo-family.json')
}
