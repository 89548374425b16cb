import { PRODUCT } from '@family-inbox/workspace-kit/product'
import { Command, CommanderError } from 'commander'
import { addDemoCommand } from './commands/demo.ts'
import { addDkimCommand } from './commands/dkim.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addEventsCommand } from './commands/events.ts'
import { addOperatorsCommand } from './commands/operators.ts'
import { addPartnersCommand } from './commands/partners.ts'
import { addSecretsCommand } from './commands/secrets.ts'
import { addSetUpCodeCommand } from './commands/set-up-code.ts'
import { addSubjectsCommand } from './commands/subjects.ts'
import { addTestMailCommand } from './commands/test-mail.ts'
import { addWorkspacesCommand } from './commands/workspaces.ts'
import type { Io } from './io.ts'

/** Errors print as one line. Returns the exit code. */
export async function runOps(args: string[], io: Io): Promise<number> {
  const program = new Command('npm run ops --')
    .description(`The operator command of ${PRODUCT}.`)
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err })
  for (const add of COMMANDS) add(program, io)
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    io.err(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

const COMMANDS = [
  addDoctorCommand,
  addDkimCommand,
  addTestMailCommand,
  addSetUpCodeCommand,
  addDemoCommand,
  addPartnersCommand,
  addSecretsCommand,
  addSubjectsCommand,
  addEventsCommand,
  addWorkspacesCommand,
  addOperatorsCommand,
]
