import { checkBackups } from './backup-checks.ts'
import { type Finding, skipped } from './finding.ts'
import { checkMachine } from './machine-checks.ts'
import { checkMailIn, checkMailOut } from './mail-checks.ts'
import type { SetUp } from './set-up.ts'
import { checkWeb } from './web-checks.ts'
import type { World } from './world.ts'

const PARTS = {
  web: checkWeb,
  'mail in': checkMailIn,
  'mail out': checkMailOut,
  machine: checkMachine,
  backups: checkBackups,
}

/** Runs every check. A part that cannot be looked at, for example without DNS, is skipped and says why. */
export async function examine(setUp: SetUp, world: World): Promise<Finding[]> {
  const found = Object.entries(PARTS).map(([part, check]) =>
    check(setUp, world).catch((error) => [skipped(part, `Could not be checked: ${error.message}.`)]),
  )
  return (await Promise.all(found)).flat()
}
