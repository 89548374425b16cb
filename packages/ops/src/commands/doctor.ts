import type { Command } from 'commander'
import { examine } from '../doctor/examine.ts'
import { printFindings } from '../doctor/print-findings.ts'
import { readSetUp } from '../doctor/set-up.ts'
import { realWorld } from '../doctor/world.ts'
import { type Io, JSON_OPTION } from '../io.ts'

export function addDoctorCommand(program: Command, io: Io): void {
  program
    .command('doctor')
    .description(
      'Check this installation: DNS, TLS, mail in and out, disk, clock. Changes nothing. Ends with 1 if there is a problem.',
    )
    .option(...JSON_OPTION)
    .action(async ({ json }) => {
      const findings = await examine(readSetUp(io.env), realWorld())
      printFindings(io, findings, json)
    })
}
