import type { FileOfCalendar } from '@family-inbox/mail-reader/calendar/calendar-files'
import {
  type InvitationData,
  type InvitationPreview,
  toInvitation,
} from '@family-inbox/mail-reader/calendar/to-invitation'
import type { AttachmentKey } from '@family-inbox/mail-reader/mime/attachments'
import type { DocumentProblem } from '@family-inbox/mail-reader/preview/drawn'
import type { PreviewTask } from '@family-inbox/mail-reader/preview/make-preview'
import { previewKind } from '@family-inbox/mail-reader/preview/preview-kind'
import {
  CalendarLoss,
  InvitationState,
  type PreviewAttachmentRequest,
  type PreviewAttachmentResponse,
  PreviewKind,
  DocumentProblem as WireProblem,
} from '@family-inbox/proto/inbox/v1/inbox'
import type { StreamHandler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { findCalendar, findFiles } from '../calendar/find-calendar.ts'
import type { Context } from '../context.ts'
import { findTextsOf } from '../models/attachment-text.ts'
import { attachmentNotFound, readAttachmentContent } from '../storage/attachment-content.ts'
import { findOriginal, reserveMailMemory } from '../storage/find-original.ts'

/** Readers look at the first pages; the rest is for the download. */
const MAX_PAGES = 20

/** Shows what an attachment contains. The workspace's memory counts its mail until the preview is made. */
export function previewAttachment(ctx: Context): StreamHandler<PreviewAttachmentRequest, PreviewAttachmentResponse> {
  return async function* (request, call) {
    const { messageId, lovedOneId } = request
    const member = await ctx.requireMember(call, { lovedOneId })
    const { workspaceId } = member
    const row = await findFiles(ctx, workspaceId, request)
    const meta = row.attachments[request.index]
    if (meta === undefined) throw attachmentNotFound()
    const kind = previewKind(meta)
    if (kind === PreviewKind.UNSPECIFIED || request.page < 0 || request.page >= MAX_PAGES) throw notShown()
    if (kind === PreviewKind.INVITATION) {
      const files = await findCalendar(ctx, workspaceId, request, row, call.signal)
      yield calendarToWire(files.find(({ sha256 }) => sha256 === meta.sha256))
      return
    }
    const wanted = { kind, page: request.page, isLarge: request.large }
    // Thumbnails belong to the message's page, and the other pages to the first.
    const isOpened = wanted.isLarge && wanted.page === 0
    const act = { message: { messageId, lovedOneId }, hourly: `${row._id} ${meta.index}` }
    const recorded = isOpened && ctx.recordAct(member, { act: 'preview_attachment', ...act })
    const preview = await findOrMake(ctx, { workspaceId, rowId: row._id, request, meta }, wanted, call.signal)
    await recorded
    if (typeof preview === 'string') {
      yield problemToWire(preview)
      return
    }
    // Absent until arriving/read-files.ts has read it.
    const text = isOpened ? (await findTextsOf(ctx, row._id)).get(meta.index) : undefined
    yield { drawing: preview.drawing, invitation: undefined, losses: [], text, tasks: [] }
  }
}

type File = { workspaceId: string; rowId: string; request: PreviewAttachmentRequest; meta: AttachmentKey }

/** Opens the mail only for a preview that is not kept. */
async function findOrMake(
  ctx: Context,
  { workspaceId, rowId, request, meta }: File,
  wanted: Omit<PreviewTask, 'content'>,
  signal: AbortSignal,
): ReturnType<Context['previews']['make']> {
  const key = `${rowId} ${meta.index} ${wanted.page} ${wanted.isLarge}`
  const known = ctx.previews.find(key)
  if (known !== undefined) return known
  const original = await findOriginal(ctx, workspaceId, request)
  using _memory = await reserveMailMemory(ctx, workspaceId, original.size, signal)
  const { content } = await readAttachmentContent(ctx, original, meta, signal)
  return ctx.previews.make(workspaceId, key, { ...wanted, content }, signal)
}

function problemToWire(problem: DocumentProblem | 'failed' | 'busy'): PreviewAttachmentResponse {
  if (problem === 'failed') throw notShown()
  if (problem === 'busy')
    throw new StatusError('RESOURCE_EXHAUSTED', 'Too many files are being opened right now.', { retryAfterSec: 60 })
  return { drawing: undefined, invitation: undefined, losses: [], problem: PROBLEMS[problem], tasks: [] }
}

function notShown(): StatusError {
  return new StatusError('FAILED_PRECONDITION', 'This file can only be downloaded.')
}

const PROBLEMS: Record<DocumentProblem, WireProblem> = {
  locked: WireProblem.LOCKED,
  damaged: WireProblem.DAMAGED,
}

const STATES: Record<InvitationData['state'], InvitationState> = {
  new: InvitationState.UNSPECIFIED,
  changed: InvitationState.CHANGED,
  canceled: InvitationState.CANCELED,
  answer: InvitationState.ANSWER,
}

const LOSSES: Record<InvitationPreview['losses'][number], CalendarLoss> = {
  all: CalendarLoss.ALL,
  events: CalendarLoss.EVENTS,
  rule: CalendarLoss.RULE,
  details: CalendarLoss.DETAILS,
}

/** Beyond the first files of a mail, one is a download only. */
function calendarToWire(file: FileOfCalendar | undefined): PreviewAttachmentResponse {
  if (file === undefined) throw notShown()
  const { invitation, losses } = toInvitation(file)
  return {
    drawing: undefined,
    invitation: invitation && invitationToWire(invitation),
    losses: losses.map((loss) => LOSSES[loss]),
    tasks: (file.tasks ?? []).map(({ text, day = '' }) => ({ text, day })),
  }
}

function invitationToWire({ state, start, end, ...rest }: InvitationData): PreviewAttachmentResponse['invitation'] {
  const toTime = ({ at, local }: InvitationData['start']) => ({ at, local })
  return { ...rest, state: STATES[state], start: toTime(start), end: end && toTime(end) }
}
