import type { Command } from 'commander'
import { type Io, JSON_OPTION } from '../io.ts'
import { requestSetUpCode } from '../set-up-code.ts'
import { asOperator } from './as-operator.ts'

export function addSetUpCodeCommand(program: Command, io: Io): void {
  program
    .command('set-up-code')
    .description('Create the code that creates the first family, on the page /set-up. It works once, for 24 hours.')
    .option(...JSON_OPTION)
    .action(({ json }) => asOperator(io, json, requestSetUpCode))
}
