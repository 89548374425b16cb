import { CommanderError } from 'commander'
import { type Io, print } from '../io.ts'
import type { Finding, State } from './finding.ts'

const MARKS: Record<State, string> = { ok: '✔', warning: '!', problem: '✘', skipped: '·' }

/** @throws CommanderError with exit code 1 if there is a problem */
export function printFindings(io: Io, findings: Finding[], json: boolean | undefined): void {
  if (json) print(io, { findings }, true)
  else io.out(`${findings.map(toLines).join('\n')}\n`)
  if (findings.some(({ state }) => state === 'problem')) throw new CommanderError(1, 'problems', 'There are problems.')
}

function toLines({ check, state, says, todo }: Finding): string {
  return [`${MARKS[state]} ${check}: ${says}`, ...(todo === undefined ? [] : [`  ${todo}`])].join('\n')
}
