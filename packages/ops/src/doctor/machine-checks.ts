import { join } from 'node:path'
import { type Finding, ok, problem, skipped, warning } from './finding.ts'
import type { SetUp } from './set-up.ts'
import type { World } from './world.ts'

const GB = 1024 ** 3
/** Below this MongoDB and nats-server may stop writing. */
const FULL_BYTES = GB
const NEARLY_FULL_BYTES = 5 * GB
/** Sign-in codes and signed events end by the clock. */
const CLOCK_MS = 30_000

/** The machine itself, and who gets in. */
export async function checkMachine(setUp: SetUp, world: World): Promise<Finding[]> {
  const { dataDir } = setUp
  return [
    await checkDisk(dataDir, world),
    await checkSecrets(dataDir, world),
    await checkClock(world),
    await checkSignUp(setUp, world),
  ]
}

async function checkSignUp({ isPublic, signUp = 'invited' }: SetUp, world: World): Promise<Finding> {
  if (!isPublic) return ok('sign-up', 'Only this machine reaches the sign-in page.')
  const switches = await world.switches().catch(() => [])
  const switched = switches.find(({ name }) => name === 'signUp')?.value
  if ((switched ?? signUp) !== 'open') return ok('sign-up', `New people: ${switched ?? signUp}.`)
  return warning(
    'sign-up',
    'Everybody who finds the address can create a family here.',
    switched === undefined
      ? 'Set SIGN_UP=invited, unless you want that.'
      : 'Switch it on the page /operator, unless you want that.',
  )
}

async function checkDisk(dataDir: string, world: World): Promise<Finding> {
  const free = await world.freeBytes(dataDir).catch(() => undefined)
  if (free === undefined) return skipped('disk', `${dataDir} is not on this machine.`)
  const says = `${(free / GB).toFixed(1)} GB are free in ${dataDir}.`
  if (free < FULL_BYTES) return problem('disk', says, 'Make space now: a full disk stops all mail.')
  return free < NEARLY_FULL_BYTES ? warning('disk', says, 'Make space soon.') : ok('disk', says)
}

async function checkSecrets(dataDir: string, world: World): Promise<Finding> {
  const open = await world.readableByOthers(join(dataDir, 'secrets'))
  if (open.length === 0) return ok('secrets', 'No other account on this machine can read them.')
  return problem(
    'secrets',
    `Other accounts can read ${open.slice(0, 3).join(', ')} in ${dataDir}/secrets.`,
    `Run: chmod -R go= ${dataDir}/secrets`,
  )
}

async function checkClock(world: World): Promise<Finding> {
  const ahead = await world.clockAhead().catch(() => undefined)
  if (ahead === undefined) return skipped('clock', 'No time server answered.')
  const seconds = Math.round(Math.abs(ahead) / 1000)
  if (Math.abs(ahead) <= CLOCK_MS) return ok('clock', 'The clock is right.')
  return problem(
    'clock',
    `The clock is ${seconds} s ${ahead > 0 ? 'fast' : 'slow'}.`,
    'Turn on time synchronization, for example: timedatectl set-ntp true',
  )
}
