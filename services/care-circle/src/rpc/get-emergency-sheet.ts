import {
  type GetEmergencySheetRequest,
  type GetEmergencySheetResponse,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { linkToWire } from '../models/emergency-link.ts'
import { sheetToWire } from '../models/emergency-sheet.ts'
import { requireMember } from '../require-member.ts'

const MOST_LINKS = 50

/** Viewers, too; no assistant. Only the owner sees the links. */
export function getEmergencySheet(ctx: Context): Handler<GetEmergencySheetRequest, GetEmergencySheetResponse> {
  return async ({ lovedOneId }, call) => {
    const { workspaceId, role } = await requireMember(ctx, call, { lovedOneId })
    requirePerson(call)
    const [sheet, links] = await Promise.all([
      ctx.emergencySheets.findOne({ _id: lovedOneId, workspaceId }).lean(),
      role === Role.OWNER ? findLinks(ctx, workspaceId, lovedOneId) : [],
    ])
    return { sheet: sheetToWire(sheet), links: links.map(linkToWire) }
  }
}

async function findLinks(ctx: Context, workspaceId: string, lovedOneId: string) {
  return ctx.emergencyLinks.find({ workspaceId, lovedOneId }).sort({ createdAt: -1 }).limit(MOST_LINKS).lean()
}
