import type { Command } from 'commander'
import { seedDemo } from '../demo-seed.ts'
import { type Io, JSON_OPTION, print } from '../io.ts'
import { findTarget } from '../target.ts'

export function addDemoCommand(program: Command, io: Io): void {
  const demo = program.command('demo').description('Demo data.')
  demo
    .command('seed')
    .description('Create a demo family with two loved ones, mail, and a tool key for each person.')
    .option(...JSON_OPTION)
    .action(async ({ json }) => print(io, await seedDemo(findTarget(io.env)), json))
}
