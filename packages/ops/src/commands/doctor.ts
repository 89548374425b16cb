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
    .option('--progress', 'print each part as a line of JSON when it is done')
    .action(async ({ json, progress }) => {
      if (progress)
        return void (await examine(readSetUp(io.env), realWorld(io.env), (part) => io.out(`${JSON.stringify(part)}\n`)))
      const findings = await examine(readSetUp(io.env), realWorld(io.env))
      printFindings(io, findings, json)
    })
}
