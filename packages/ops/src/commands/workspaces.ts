import type { Command } from 'commander'
import { type Io, JSON_OPTION } from '../io.ts'
import type { Services } from '../services.ts'
import { asOperator } from './as-operator.ts'

export function addWorkspacesCommand(program: Command, io: Io): void {
  const workspaces = program.command('workspaces').description('A workspace’s outgoing mail.')

  workspaces
    .command('stop <workspace_id>')
    .description('Stop its replies and invitations, including queued ones. The family sees that.')
    .option(...JSON_OPTION)
    .action((workspaceId, { json }) => asOperator(io, json, (services) => setStopped(services, workspaceId, true)))

  workspaces
    .command('resume <workspace_id>')
    .description('Allow its replies and invitations again.')
    .option(...JSON_OPTION)
    .action((workspaceId, { json }) => asOperator(io, json, (services) => setStopped(services, workspaceId, false)))
}

/** care-circle first: it knows whether the workspace exists. Repeat the command to finish an interrupted one. */
async function setStopped({ careCircle, inbox }: Services, workspaceId: string, stopped: boolean) {
  await careCircle.setOutgoingMail({ workspaceId, stopped })
  await inbox.setOutgoingMail({ workspaceId, stopped })
  return { workspaceId, outgoingMail: stopped ? 'stopped' : 'allowed' }
}
