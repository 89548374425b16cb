import type { Command } from 'commander'
import { type Io, JSON_OPTION } from '../io.ts'
import { asOperator } from './as-operator.ts'

export function addOperatorsCommand(program: Command, io: Io): void {
  const operators = program
    .command('operators')
    .description('Who sees the page /operator. Whoever set up the first family does.')

  operators
    .command('list')
    .description('The addresses of the operators.')
    .option(...JSON_OPTION)
    .action(({ json }) => asOperator(io, json, ({ auth }) => auth.listOperators({})))

  operators
    .command('add <email>')
    .description('Let a person with an account here see the page. They need a passkey.')
    .option(...JSON_OPTION)
    .action((email, { json }) =>
      asOperator(io, json, async ({ auth }) => {
        await auth.setOperator({ email, operator: true })
        return { operator: email }
      }),
    )

  operators
    .command('remove <email>')
    .description('End that, from their next click on.')
    .option(...JSON_OPTION)
    .action((email, { json }) =>
      asOperator(io, json, async ({ auth }) => {
        await auth.setOperator({ email, operator: false })
        return { noOperator: email }
      }),
    )
}
