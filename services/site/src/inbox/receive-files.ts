import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReplyAttachment } from '@family-inbox/proto/inbox/v1/inbox'
import { createFairBudget, type FairBudget, type Share } from '@family-inbox/service-kit/lifecycle/fair-budget'
import { CALL_BUDGET_MS } from '@family-inbox/service-kit/rpc/dial'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import {
  ATTACHMENT_PIECE_BYTES,
  ATTACHMENTS_TOO_LARGE,
  MAX_ATTACHMENTS_BYTES,
} from '@family-inbox/workspace-kit/reply-attachments'
import type { Context } from '../context.ts'
import { isRefusal } from '../shell/errors.ts'
import { messageIdsOf } from '../shell/inbox-paths.ts'
import type { FormReader } from '../shell/mount-routes.ts'
import { findSession, type Session } from '../shell/session.ts'
import type { ReceivedFiles, Visit } from '../shell/visit.ts'
import { MAX_FORM_BYTES, readMultipart } from './multipart.ts'

/** Each holds about 2 MB: one piece of a file, and its copy on the way to inbox. */
const MAX_UPLOADS = 24
const MAX_UPLOADS_PER_FAMILY = 4
/** A principal lasts a minute, and may be half a minute old when we get it. */
const RENEW_MS = 20_000
const TRIES = 3
const AGAIN_MS = 200

/** Ends the reading of a form; the page shows the message. */
class FileRefused extends Error {}

/** Reads the form of a reply. Its files go to inbox piece by piece as they arrive, and belong to the writer's draft. */
export function readReplyFiles(ctx: Context): FormReader {
  const uploads = createFairBudget(MAX_UPLOADS, MAX_UPLOADS_PER_FAMILY)
  return async (visit, req) => {
    const session = await findSession(ctx, visit, false)
    using slot = createSlot(uploads, session?.workspaceId ?? '')
    const fields = new URLSearchParams()
    const files: ReceivedFiles = { stored: [] }
    const upload = session && createUpload(ctx, visit, session)
    const takeBack = async () => upload?.takeBack()
    const size = createSizeLimit(Number(req.headers['content-length']))
    const isFromWriter = () => (fields.get('writer') || session?.personId) === session?.personId
    try {
      await readMultipart(req, fields, async (file, filename) => {
        // Nothing chosen, or not for the person who is signed in now; the page will say so.
        if (filename === '' || upload === undefined || !isFromWriter()) return void file.resume()
        slot.take()
        size.check()
        files.stored.push(await upload.store(piecesOf(file, size.count), filename))
      })
    } catch (error) {
      if (!(error instanceof FileRefused)) {
        await takeBack()
        throw error
      }
      files.problem = error.message
    }
    // Our forms name their writer first, others may not.
    if (!isFromWriter()) {
      await takeBack()
      files.stored = []
    }
    return { fields, files, takeBack }
  }
}

/** Counts as an upload from its first file on. A form without files needs no slot. */
function createSlot(uploads: FairBudget, workspaceId: string) {
  let share: Share | undefined
  return {
    take() {
      share ??= uploads.take([workspaceId], 1)
      if (share === undefined) throw new FileRefused('Many files are arriving right now. Add it again in a moment.')
    },
    [Symbol.dispose]: () => share?.[Symbol.dispose](),
  }
}

/** Refuses a form that says it is too large before its files are read, and any other while they are. */
function createSizeLimit(contentLength: number) {
  let bytes = 0
  return {
    check() {
      if (contentLength > MAX_ATTACHMENTS_BYTES + MAX_FORM_BYTES) throw new FileRefused(ATTACHMENTS_TOO_LARGE)
    },
    count(chunk: Buffer) {
      bytes += chunk.length
      if (bytes > MAX_ATTACHMENTS_BYTES) throw new FileRefused(ATTACHMENTS_TOO_LARGE)
    },
  }
}

type Piece = { data: Buffer; isLast: boolean }

/** Stores files for the signed-in person, each as a whole or not at all. */
function createUpload(ctx: Context, visit: Visit, session: Session) {
  const findPrincipal = createPrincipalSource(ctx, visit, session)
  /** The files that inbox has, or may have: a call that failed without a refusal may have stored something. */
  const sent = new Set<string>()

  async function store(pieces: AsyncIterable<Piece>, filename: string): Promise<ReplyAttachment> {
    const attachmentId = randomUUID()
    let index = 0
    try {
      for await (const { data, isLast } of pieces) {
        const request = { ...messageIdsOf(visit), attachmentId, filename, index, data, last: isLast }
        sent.add(attachmentId)
        const { attachment } = await withRetries(async () =>
          ctx.inbox.addReplyAttachment(request, { token: await findPrincipal() }),
        )
        if (attachment !== undefined) return attachment
        index += 1
      }
      throw new Error('a file has no end')
    } catch (error) {
      if (index === 0 && isRefusal(error)) sent.delete(attachmentId)
      // A smaller file may fit then. After a crash, inbox deletes it within the hour.
      const isGone = await discard(attachmentId)
      throw error instanceof StatusError ? new FileRefused(`${filename.slice(-80)}: ${wordsFor(error, isGone)}`) : error
    }
  }

  async function discard(attachmentId: string): Promise<boolean> {
    if (!sent.has(attachmentId)) return true
    try {
      await ctx.inbox.removeReplyAttachment({ attachmentId }, { token: await findPrincipal() })
    } catch {
      return false
    }
    return sent.delete(attachmentId)
  }

  return {
    store,
    async takeBack(): Promise<void> {
      const results = await Promise.all([...sent].map(discard))
      if (results.includes(false)) throw new StatusError('UNAVAILABLE', 'Files were not removed.')
    },
  }
}

function wordsFor({ status, message }: StatusError, isGone: boolean): string {
  if (!isGone) return 'It may have been added. Reload the page to see it.'
  return status === 'UNAVAILABLE' || status === 'DEADLINE_EXCEEDED' ? 'Not added. Try again in a moment.' : message
}

async function withRetries<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call()
    } catch (error) {
      const mayPass = error instanceof StatusError && ['UNAVAILABLE', 'DEADLINE_EXCEEDED'].includes(error.status)
      if (!mayPass || tries === TRIES) throw error
      await sleep(AGAIN_MS)
    }
  }
}

/** A long upload outlives a principal. Renewing it notices, too, that someone has signed out. */
function createPrincipalSource(ctx: Context, visit: Visit, { principal, personId, workspaceId }: Session) {
  let current = principal
  let renewAt = Date.now() + RENEW_MS
  return async (): Promise<string> => {
    if (Date.now() < renewAt) return current
    const session = await findSession(ctx, { ...visit, deadline: Date.now() + CALL_BUDGET_MS }, false)
    if (session?.personId !== personId || session.workspaceId !== workspaceId)
      throw new StatusError('UNAUTHENTICATED', 'Your session has ended. Sign in and add the file again.')
    current = session.principal
    renewAt = Date.now() + RENEW_MS
    return current
  }
}

/** Copies what arrives: a client that sends single bytes must not cost an object for each. A piece is reused after its turn. */
async function* piecesOf(file: Readable, count: (chunk: Buffer) => void): AsyncGenerator<Piece> {
  const piece = Buffer.allocUnsafeSlow(ATTACHMENT_PIECE_BYTES)
  let length = 0
  for await (const chunk of file as AsyncIterable<Buffer>) {
    count(chunk)
    for (let from = 0; from < chunk.length; ) {
      if (length === piece.length) {
        yield { data: piece, isLast: false }
        length = 0
      }
      const copied = chunk.copy(piece, length, from)
      length += copied
      from += copied
    }
  }
  yield { data: piece.subarray(0, length), isLast: true }
}
