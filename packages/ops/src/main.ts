import { Command } from 'commander'
import { demoCommand } from './commands/demo.ts'
import { eventsCommand } from './commands/events.ts'
import { partnersCommand } from './commands/partners.ts'
import { secretsCommand } from './commands/secrets.ts'
import { subjectsCommand } from './commands/subjects.ts'

const program = new Command('npm run ops --')
  .description('The operator command of Family Care Inbox.')
  .addCommand(demoCommand())
  .addCommand(partnersCommand())
  .addCommand(secretsCommand())
  .addCommand(subjectsCommand())
  .addCommand(eventsCommand())

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
