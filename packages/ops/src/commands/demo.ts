import type { Command } from 'commander'
import { seedReview } from '../demo-review.ts'
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
  demo
    .command('review <email>')
    .description(
      'Create a family for reviewers: a code of yours signs this person in. Everything is deleted after 30 days.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', '\nSet the environment variable REVIEW_CODE to the code: eight digits that nobody guesses.')
    .action(async (email, { json }) =>
      print(io, await seedReview(findTarget(io.env), { email, code: requireCode(io) }), json),
    )
}

function requireCode({ env }: Io): string {
  const code = env.REVIEW_CODE
  if (code) return code
  throw new Error('Set REVIEW_CODE to the code that signs the reviewers in: eight digits that nobody guesses.')
}
