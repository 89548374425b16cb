import { Command } from 'commander'
import { seedDemo } from './demo-seed.ts'
import { print } from './print.ts'
import { findTarget } from './target.ts'

const program = new Command('npm run ops --').description('The operator command of Family Care Inbox.')

const demo = program.command('demo').description('Data to try the service with.')

demo
  .command('seed')
  .description('Make a new family with two loved ones, mail, and a tool key for each person.')
  .option('--json', 'print one line of JSON')
  .action(async ({ json }) => print(await seedDemo(findTarget()), json))

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
