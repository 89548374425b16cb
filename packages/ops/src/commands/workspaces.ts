import type { Command } from 'commander'
import { type Io, JSON_OPTION } from '../io.ts'
import type { Services } from '../services.ts'
import { asOperator } from './as-operator.ts'

/** Families' workspaces, as far as the operator has a say in them: the mail they send. */
export function addWorkspacesCommand(program: Command, io: Io): void {
  const workspaces = program.command('workspaces').description('The outgoing mail of a family’s workspace.')

  workspaces
    .command('stop <workspace_id>')
    .description('Stop its replies and invitations. Those in the queue are not sent, and the family sees that.')
    .option(...JSON_OPTION)
    .action((workspaceId, { json }) => asOperator(io, json, (services) => setStopped(services, workspaceId, true)))

  workspaces
    .command('resume <workspace_id>')
    .description('Let it send replies and invitations again.')
    .option(...JSON_OPTION)
    .action((workspaceId, { json }) => asOperator(io, json, (services) => setStopped(services, workspaceId, false)))
}

/** care-circle first, which knows whether there is such a workspace. Repeating it finishes what was cut off. */
async function setStopped({ careCircle, inbox }: Services, workspaceId: string, stopped: boolean) {
  await careCircle.setOutgoingMail({ workspaceId, stopped })
  await inbox.setOutgoingMail({ workspaceId, stopped })
  return { workspaceId, outgoingMail: stopped ? 'stopped' : 'allowed' }
}
