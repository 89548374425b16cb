import { checkBackups } from './backup-checks.ts'
import { type Finding, skipped } from './finding.ts'
import { checkMachine } from './machine-checks.ts'
import { checkMailIn, checkMailOut } from './mail-checks.ts'
import { checkServices } from './service-checks.ts'
import type { SetUp } from './set-up.ts'
import { checkWeb } from './web-checks.ts'
import type { World } from './world.ts'

const PARTS = {
  web: checkWeb,
  'mail in': checkMailIn,
  'mail out': checkMailOut,
  machine: checkMachine,
  backups: checkBackups,
  services: checkServices,
}

/** Runs every check. A part that cannot be looked at, for example without DNS, is skipped and says why. */
export async function examine(setUp: SetUp, world: World, onPart: OnPart = () => {}): Promise<Finding[]> {
  const parts = Object.entries(PARTS)
  const found = parts.map(async ([part, check]) => {
    const findings = await check(setUp, world).catch((error) => [
      skipped(part, `Could not be checked: ${error.message}.`),
    ])
    onPart({ part, parts: parts.length, findings })
    return findings
  })
  return (await Promise.all(found)).flat()
}

/** Called when a part is done, of so many. */
export type OnPart = (done: { part: string; parts: number; findings: Finding[] }) => void
