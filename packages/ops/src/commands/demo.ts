import { Command } from 'commander'
import { seedDemo } from '../demo-seed.ts'
import { JSON_OPTION, print } from '../print.ts'
import { findTarget } from '../target.ts'

export function demoCommand(): Command {
  const demo = new Command('demo').description('Data to try the service with.')
  demo
    .command('seed')
    .description('Make a new family with two loved ones, mail, and a tool key for each person.')
    .option(...JSON_OPTION)
    .action(async ({ json }) => print(await seedDemo(findTarget()), json))
  return demo
}
