import { randomUUID } from 'node:crypto'
import { StatusAction } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { formatWait } from '@family-inbox/service-kit/text/format-wait'
import type { Context } from '../context.ts'
import { type FieldErrors, toFieldErrors } from '../shell/fields.ts'
import type { FlashName } from '../shell/flash.ts'
import { messageIdsOf } from '../shell/inbox-paths.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'
import { tryChangeStatus } from './change-status.ts'
import { explainCopies, readCc, toCopies } from './copy-field.ts'

const FIELD_ERRORS = { body: 'Enter your reply, up to 20,000 characters' }
/** It has changed since the page was made, or nobody has confirmed it. */
const UNCONFIRMED = { toMember: 'Check whom this goes to, then tick the box to send it' }
const ALREADY_SENT = { body: 'You already sent a reply from this form. To send this one too, press Send reply again.' }

export type ReplyForm = {
  body: string
  cc: string
  idempotencyKey: string
  files: string[]
  /** The member's address that the writer confirmed, where the author of a forwarded message was not found. */
  toMember?: string
  /** Whether the conversation is done with it. */
  finish?: boolean
  errors: FieldErrors
}

export function newReply(draft = '', cc = ''): ReplyForm {
  return { body: draft, cc, idempotencyKey: randomUUID(), files: [], errors: {} }
}

/** Reads the submitted form. `writer` is the person it was made for. */
export function readReplyForm(visit: Visit): ReplyForm & { writer: string } {
  const idempotencyKey = visit.field('key').slice(0, 100)
  const writer = visit.field('writer').slice(0, 128)
  const files = [...visit.fields('file').map((id) => id.slice(0, 64)), ...visit.files.stored.map(({ id }) => id)]
  const toMember = visit.field('toMember').slice(0, 320)
  const finish = visit.field('finish') !== ''
  const body = visit.field('body').slice(0, 25_000)
  return { body, cc: readCc(visit), idempotencyKey, writer, files, toMember, finish, errors: {} }
}

export function toServiceKey(formKey: string): string {
  return formKey && `form:${formKey}`
}

type Outcome = Extract<FlashName, 'reply-sent' | 'reply-sent-done'>

/** Sends the reply, once per form. Returns the form with its error when it was refused. */
export async function sendReply(ctx: Context, visit: Visit, workspace: Workspace): Promise<Outcome | ReplyForm> {
  const { body, cc, idempotencyKey: formKey, files, toMember = '', finish = false } = readReplyForm(visit)
  const kept = { body, cc, idempotencyKey: formKey, files, toMember, finish }
  const { problem } = visit.files
  if (problem !== undefined) return { ...kept, errors: { files: problem } }
  try {
    const request = {
      ...messageIdsOf(visit),
      body,
      ...toCopies(cc),
      idempotencyKey: toServiceKey(formKey),
      ...(toMember !== '' && { expectedTo: toMember }),
      ...(files.length > 0 && { attachments: { ids: files } }),
      discardDraft: true,
      undoSeconds: ctx.config.replyUndoSec,
    }
    await ctx.inbox.replyToMessage(request, asPerson(workspace.session, visit))
    const isDone = finish && (await tryChangeStatus(ctx, visit, workspace, StatusAction.DONE))
    return isDone ? 'reply-sent-done' : 'reply-sent'
  } catch (error) {
    // Same form, other text: offer to send it under a new key.
    if (error instanceof StatusError && error.detail.field === 'idempotencyKey')
      return { ...newReply(body, cc), errors: ALREADY_SENT }
    if (error instanceof StatusError && error.detail.field === 'expectedTo')
      return { ...kept, toMember: '', errors: UNCONFIRMED }
    return { ...kept, errors: explainLimit(error) ?? explainCopies(error) ?? explainInput(error) }
  }
}

function explainInput(error: unknown): FieldErrors {
  if (error instanceof StatusError && error.detail.field === 'attachments') return { files: error.message }
  return toFieldErrors(error, FIELD_ERRORS)
}

/** A rate limit, or an address we may not send to. Shown at the text, which the form keeps. */
function explainLimit(error: unknown): FieldErrors | undefined {
  if (!(error instanceof StatusError)) return undefined
  if (error.status !== 'RESOURCE_EXHAUSTED' && error.status !== 'FAILED_PRECONDITION') return undefined
  const { retryAfterSec } = error.detail
  return { body: retryAfterSec ? `${error.message} Try again in ${formatWait(retryAfterSec)}.` : error.message }
}
