import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import { type SignUp, signUpSetting } from './sign-up.ts'

/** What the operator can switch on their page while an installation runs. care-circle has the values, by name. */
export type Switches = { signUp: SignUp; hasSandbox: boolean; hasPublicSite: boolean }

/** The values of each switch, as they are stored and on the page. */
export const SWITCH_VALUES = {
  signUp: signUpSetting.unwrap().options,
  sandbox: ['on', 'off'],
  publicSite: ['on', 'off'],
} as const satisfies Record<string, readonly string[]>

export type SwitchName = keyof typeof SWITCH_VALUES

/** @returns undefined for anything but a switch and one of its values */
export function readSwitch(name: string, value: string): { name: SwitchName; value: string } | undefined {
  if (!Object.hasOwn(SWITCH_VALUES, name)) return undefined
  const values: readonly string[] = SWITCH_VALUES[name as SwitchName]
  return values.includes(value) ? { name: name as SwitchName, value } : undefined
}

type Stored = readonly { name: string; value: string }[]

/** @param how `fresh`: as it is now, or an error */
export type ReadSwitches = (how?: 'fresh') => Promise<Switches>

/** A change is seen everywhere after this time. */
const FRESH_MS = 2000

/** What strangers may do while nobody knows what the operator decided. */
const STRICTEST: Switches = { signUp: 'closed', hasSandbox: false, hasPublicSite: false }

type Reading = {
  settings: Partial<Switches>
  /** Whether there is an operator’s page. Otherwise the settings count alone. */
  isSwitchable: boolean
  ask(): Promise<{ switches: Stored }>
  logger: Logger
}

/** The settings, with what the operator switched since. Asks only when somebody wants to know, and not more often than every two seconds. */
export function createReadSwitches({ settings, isSwitchable, ask, logger }: Reading): ReadSwitches {
  const { signUp, hasSandbox, hasPublicSite } = { ...STRICTEST, ...settings }
  const defaults: Switches = { signUp, hasSandbox, hasPublicSite }
  if (!isSwitchable) return async () => defaults
  let known: Switches | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<Switches> | undefined
  const refresh = async () => {
    known = { ...defaults, ...toSwitches((await ask()).switches) }
    return known
  }
  const refreshIfPossible = async () => {
    await refresh().catch((error) => logger.warn(describeError(error), 'could not ask what the operator switched'))
    askedAt = performance.now()
    asking = undefined
    return known ?? STRICTEST
  }
  return async (how) => {
    if (how === 'fresh') return refresh()
    if (performance.now() - askedAt < FRESH_MS) return known ?? STRICTEST
    asking ??= refreshIfPossible()
    return asking
  }
}

function toSwitches(stored: Stored): Partial<Switches> {
  const stateOf = (wanted: SwitchName) => stored.find(({ name }) => name === wanted)?.value
  const [signUp, sandbox, publicSite] = [stateOf('signUp'), stateOf('sandbox'), stateOf('publicSite')]
  return {
    ...(signUp !== undefined && { signUp: signUp as SignUp }),
    ...(sandbox !== undefined && { hasSandbox: sandbox === 'on' }),
    ...(publicSite !== undefined && { hasPublicSite: publicSite === 'on' }),
  }
}
