import {
  type ExportWorkspaceRequest,
  type ExportWorkspaceResponse,
  type Membership,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { StreamHandler } from '@family-inbox/service-kit/rpc/call'
import {
  exportFile,
  exportJson,
  exportRows,
  toPieces,
  withId,
  withIds,
} from '@family-inbox/service-kit/rpc/export-files'
import { cutPage } from '@family-inbox/service-kit/rpc/page'
import { findEntries } from '../appointments/find-entries.ts'
import { toWireAppointment } from '../appointments/to-wire-appointment.ts'
import { writeCalendar } from '../appointments/write-calendar.ts'
import type { Context } from '../context.ts'
import { BY_TIME } from '../models/care-event.ts'
import { requireMember } from '../require-member.ts'

export function exportWorkspace(ctx: Context): StreamHandler<ExportWorkspaceRequest, ExportWorkspaceResponse> {
  return async function* (_request, call) {
    const member = await requireMember(ctx, call)
    const ours = { workspaceId: member.workspaceId }
    const workspace = await ctx.workspaces
      .findById(member.workspaceId, { name: 1, plan: 1, createdAt: 1, passkeysAsked: 1 })
      .lean()
    const invitations = ctx.invitations.find(ours, invitationFields(member)).lean().cursor()
    const codes = ctx.providerCodes.find(ours, { codeHash: 0, idempotencyKey: 0, redemptionId: 0 }).lean().cursor()
    const shownProposals = { ...ours, ...(member.role === Role.VIEWER && { state: { $ne: 'waiting' as const } }) }
    const proposals = ctx.invitationProposals.find(shownProposals, proposalFields(member)).lean().cursor()
    // Only the owner sees them.
    const ownersOnly = member.role === Role.OWNER ? ours : { _id: { $in: [] } }
    const emergencyLinks = ctx.emergencyLinks.find(ownersOnly, { tokenHash: 0, codeHash: 0 }).lean().cursor()
    yield* toPieces(
      exportJson('care-circle/family.json', withId(workspace ?? { _id: member.workspaceId })),
      exportRows('care-circle/loved-ones.json', withIds(ctx.lovedOnes.find(ours).lean().cursor())),
      exportRows('care-circle/members.json', withIds(ctx.members.find(ours, { guardMarks: 0 }).lean().cursor())),
      exportRows('care-circle/invitations.json', withIds(invitations)),
      exportRows('care-circle/invitation-proposals.json', withIds(proposals)),
      exportRows('care-circle/provider-codes.json', withIds(codes)),
      exportRows('care-circle/emergency-sheets.json', withIds(ctx.emergencySheets.find(ours).lean().cursor())),
      exportRows('care-circle/emergency-links.json', withIds(emergencyLinks)),
      exportRows('care-circle/appointments.json', allAppointments(ctx, member.workspaceId)),
      exportRows('care-circle/to-dos.json', withIds(ctx.toDos.find(ours).lean().cursor())),
      exportFile('care-circle/appointments.ics', await allAppointmentsAsCalendar(ctx, member.workspaceId)),
      exportRows('timeline/care-events.json', sharedEvents(ctx, member.workspaceId)),
    )
  }
}

const PAGE = 500

async function* allEntries(ctx: Context, workspaceId: string) {
  let pageToken = ''
  do {
    const rows = await findEntries(ctx, { workspaceId, lovedOneId: '' }, { limit: PAGE + 1, pageToken })
    const { page, nextPageToken } = cutPage(rows, PAGE, ({ startsAt }) => startsAt)
    for (const { entry } of page) yield entry
    pageToken = nextPageToken
  } while (pageToken !== '')
}

async function* allAppointments(ctx: Context, workspaceId: string): AsyncGenerator<object> {
  for await (const entry of allEntries(ctx, workspaceId)) yield toWireAppointment(entry)
}

const MOST_IN_CALENDAR = 10_000

/** For another calendar. The list has the rest. */
async function allAppointmentsAsCalendar(ctx: Context, workspaceId: string): Promise<Uint8Array> {
  const [rows, lovedOnes] = await Promise.all([
    findEntries(ctx, { workspaceId, lovedOneId: '' }, { limit: MOST_IN_CALENDAR }),
    ctx.lovedOnes.find({ workspaceId }, { name: 1 }).lean(),
  ])
  const names = new Map(lovedOnes.map(({ _id, name }) => [_id, name]))
  const entries = rows.map(({ entry }) => entry)
  return Buffer.from(writeCalendar({ entries, names, withDetails: true, inboxUrl: ctx.config.inboxUrl }))
}

/** @throws StatusError UNAVAILABLE while sharing is unknown */
async function* sharedEvents(ctx: Context, workspaceId: string): AsyncGenerator<object> {
  for (const { _id: lovedOneId } of await ctx.lovedOnes
    .find({ workspaceId }, { _id: 1 })
    .sort({ createdAt: 1 })
    .lean()) {
    const { links } = await ctx.pipe.listSharedLinks({ workspaceId, lovedOneId })
    for (const { linkId, institutionName } of links) {
      const events = ctx.careEvents.find({ linkId, workspaceId, lovedOneId }).sort(BY_TIME).lean().cursor()
      for await (const { _id, eventType, occurredAt, receivedAt, details } of events)
        yield { id: _id, lovedOneId, source: institutionName, eventType, occurredAt, receivedAt, ...details }
    }
  }
}

function proposalFields({ role }: Membership) {
  const hidden = { idempotencyKey: 0, requestHash: 0, guardMark: 0 } as const
  return role === Role.OWNER ? hidden : { ...hidden, message: 0 as const }
}

function invitationFields({ role }: Membership) {
  const shown = { email: 1, role: 1, relationship: 1, invitedBy: 1, state: 1, createdAt: 1, expiresAt: 1 }
  return role === Role.OWNER ? { ...shown, message: 1 } : shown
}
