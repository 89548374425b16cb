import { type Command, CommanderError } from 'commander'
import { examine } from '../doctor/examine.ts'
import type { Finding, State } from '../doctor/finding.ts'
import { readSetUp } from '../doctor/set-up.ts'
import { realWorld } from '../doctor/world.ts'
import { type Io, JSON_OPTION, print } from '../io.ts'

const MARKS: Record<State, string> = { ok: '✔', warning: '!', problem: '✘', skipped: '·' }

export function addDoctorCommand(program: Command, io: Io): void {
  program
    .command('doctor')
    .description(
      'Check this installation: DNS, TLS, mail in and out, disk, clock. Changes nothing. Ends with 1 if there is a problem.',
    )
    .option(...JSON_OPTION)
    .action(async ({ json }) => {
      const findings = await examine(readSetUp(io.env), realWorld())
      if (json) print(io, { findings }, true)
      else io.out(`${findings.map(toLines).join('\n')}\n`)
      if (findings.some(({ state }) => state === 'problem'))
        throw new CommanderError(1, 'doctor', 'There are problems.')
    })
}

function toLines({ check, state, says, todo }: Finding): string {
  return [`${MARKS[state]} ${check}: ${says}`, ...(todo === undefined ? [] : [`  ${todo}`])].join('\n')
}
