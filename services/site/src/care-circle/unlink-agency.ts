import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { type LinkedAgency, readAgencies } from '../shell/agencies.ts'
import { html } from '../shell/html.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import { requireOwner, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { confirmPage } from './confirm-page.ts'

export function showUnlinkAgency(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const { linkId, name, lovedOne } = await requireAgency(ctx, visit, workspace)
    requireOwner(workspace)
    const page = confirmPage({
      workspace,
      title: 'Unlink this agency?',
      question: html`Unlink <bdi>${name}</bdi> from <bdi>${lovedOne.name}</bdi>?`,
      consequences: [
        'Everything it sends about them is refused from now on. Tell the agency yourself: we don’t write to it.',
        html`All visits, notes, medication, and readings that it sent are deleted from the timeline for good. To keep a copy, <a href="/settings/your-data">download your data</a> first.`,
        'To link it again, give it a new code. Earlier events don’t come back.',
      ],
      action: `/care-circle/agencies/${linkId}/unlink`,
      button: 'Unlink agency',
      back: '/care-circle',
    })
    return { page }
  }
}

export function unlinkAgency(ctx: Context): WorkspaceHandler {
  return async (visit, { session }) => {
    await ctx.pipe.unlinkProvider({ linkId: visit.id('id') }, asPerson(session, visit))
    return { redirectTo: '/care-circle', flash: 'agency-unlinked' }
  }
}

async function requireAgency(ctx: Context, visit: Visit, workspace: Workspace): Promise<LinkedAgency> {
  const agencies = await readAgencies(ctx, visit, workspace)
  if (agencies === undefined)
    throw new StatusError('UNAVAILABLE', 'We can’t load your care agencies right now. Nothing was changed.')
  const agency = agencies.find(({ linkId }) => linkId === visit.id('id'))
  if (agency !== undefined) return agency
  throw new StatusError('NOT_FOUND', 'This agency is not linked to your family.')
}
