import { isDeepStrictEqual } from 'node:util'
import type {
  EmergencyTexts,
  SetEmergencySheetRequest,
  SetEmergencySheetResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { type EmergencySheet, readTexts, SHEET_FIELDS, type SheetTexts } from '../models/emergency-sheet.ts'
import { requireMember } from '../require-member.ts'

const MAX_TEXT = 2000

/** Replaces the whole sheet, unless somebody has changed it since the version that the caller saw. */
export function setEmergencySheet(ctx: Context): Handler<SetEmergencySheetRequest, SetEmergencySheetResponse> {
  return async ({ lovedOneId, version, ...request }, call) => {
    const { workspaceId, name } = await requireMember(ctx, call, { lovedOneId, write: true })
    requirePerson(call)
    const texts = requireTexts(request.texts)
    const words = { texts, changedByName: name, checkedByName: name, checkedAt: new Date() }
    const sheet = { _id: lovedOneId, workspaceId, ...words, version: version + 1 }
    const isStored = version === 0 ? await insert(ctx, sheet) : await replace(ctx, sheet)
    if (isStored) crashPoint('emergency-sheet-stored')
    if (isStored || (await isRepeated(ctx, sheet))) return {}
    throw new StatusError('FAILED_PRECONDITION', 'Somebody else has just changed this sheet. Look at it again.')
  }
}

function requireTexts(typed: EmergencyTexts | undefined): SheetTexts {
  const texts = readTexts(typed)
  for (const field of SHEET_FIELDS) {
    texts[field] = cleanText(texts[field]).trim()
    if (texts[field].length > MAX_TEXT) throw invalidArgument(field, `${field} must be at most ${MAX_TEXT} characters.`)
  }
  return texts
}

async function insert(ctx: Context, sheet: EmergencySheet): Promise<boolean> {
  try {
    await ctx.emergencySheets.insertOne(sheet)
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}

async function replace(ctx: Context, { _id, workspaceId, version, ...words }: EmergencySheet): Promise<boolean> {
  const seen = { _id, workspaceId, version: version - 1 }
  const { matchedCount } = await ctx.emergencySheets.updateOne(seen, { $set: { ...words, version } })
  return matchedCount === 1
}

/** The same form sent twice changes nothing the second time. */
async function isRepeated(ctx: Context, { _id, workspaceId, texts, version }: EmergencySheet): Promise<boolean> {
  const stored = await ctx.emergencySheets.findOne({ _id, workspaceId, version }, { texts: 1 }).lean()
  return stored !== null && isDeepStrictEqual(readTexts(stored.texts), texts)
}
