import { readEnvironment } from '@family-inbox/service-kit/config'
import { type Config, environmentToConfig } from './config.ts'
import { lockDataDir } from './data-dir-lock.ts'
import { makeDemoFamily } from './demo-family.ts'
import { type Plan, planStack } from './launch.ts'
import { printCodes } from './print-codes.ts'
import { endProcesses } from './process-list.ts'
import { requireFreePorts } from './require-free-ports.ts'
import { runStack, type Stack } from './run-stack.ts'
import { services } from './services.ts'
import { readStackFile } from './stack-file.ts'
import type { Happening } from './supervise.ts'
import { untilToldToStop } from './told-to-stop.ts'
import { howToConnect, whatIsWhere } from './what-is-where.ts'

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
  const toldToStop = untilToldToStop(stack.crash)
  await Promise.race([toldToStop, welcome(config, stack)])
  await toldToStop
  say('Stopping…')
  await lock.leave()
}

async function welcome(config: Config, stack: Stack) {
  await stack.waitReady()
  const owner = await welcomeFamily(config, stack)
  say(whatIsWhere(config, owner))
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
