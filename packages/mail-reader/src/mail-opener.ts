import type { CalendarRequest } from './calendar/read-requests.ts'
import type { CalendarEvents } from './calendar-files.ts'
import type { SafeMarkup } from './markup/safe-markup.ts'
import { type AttachmentContent, readAttachment, readAttachments } from './mime/attachments.ts'
import { createWorkAllowance } from './work-allowance.ts'
import { createWorkerPool } from './worker-pool.ts'

type Raw = Uint8Array<ArrayBuffer>

/** Opens original mails that strangers wrote. Owners take turns. Every method rejects if it takes too long or too much memory. */
export type MailOpener = AsyncDisposable & {
  /** Seconds until this owner may open mail again; 0 when it may now. Exports and calendars do not ask. */
  secondsToWait(owner: string): number
  /** The safe markup; undefined if the mail has none. */
  markup(owner: string, raw: Raw, signal: AbortSignal): Promise<SafeMarkup | undefined>
  /** One attachment; undefined if the index does not exist. */
  file(owner: string, raw: Raw, index: number, signal: AbortSignal): Promise<AttachmentContent | undefined>
  /** All attachments, for an export. */
  files(owner: string, raw: Raw, signal: AbortSignal): Promise<AttachmentContent[]>
  /** The events in its calendar files, and what could not be read. */
  events(owner: string, raw: Raw, receivedAt: Date): Promise<CalendarEvents>
  /** What its calendar files invite to. */
  requests(owner: string, raw: Raw, signal: AbortSignal): Promise<CalendarRequest[]>
}

/** A result, and the milliseconds it took. */
type Opened = { result: unknown; ms: number }

export type OpenTask = { raw: Raw } & (
  | { wanted: 'markup' }
  | { wanted: 'file'; index: number }
  | { wanted: 'files' }
  | { wanted: 'events'; receivedAt: Date }
  | { wanted: 'requests' }
)

/** Longer than a call waits, so that a slowly started thread is ready for the retry. */
const TIMEOUT_MS = 5000
/** Many large mails in a row; after that, what one family opens may cost the others a tenth of a processor. */
const ALLOWANCE = { burstMs: 20_000, share: 0.1 }
/** Below this size, decoding takes some milliseconds at worst, and starting a thread much longer. */
const MAX_INLINE_BYTES = 1024 * 1024

const POOL = {
  module: new URL('./open-mail.ts', import.meta.url),
  task: 'openMail',
  maxWorkers: 2,
  maxWorkersPerOwner: 1,
  idleMs: 60_000,
  resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
}

/**
 * Works in threads that are ended after their time: no mail may block the thread that serves everyone else. A mail is
 * moved to the thread, except a small one whose attachments are wanted.
 */
export function createMailOpener(timeoutMs = TIMEOUT_MS): MailOpener {
  const pool = createWorkerPool<OpenTask, Opened>({ ...POOL, timeoutMs })
  // Mail that a stranger sent starts this work, so it must not cost the family its turn or its allowance.
  const calendars = createWorkerPool<OpenTask, Opened>({ ...POOL, timeoutMs, maxWorkers: 1 })
  const work = createWorkAllowance(ALLOWANCE)

  async function open<Result>(owner: string, task: OpenTask, signal?: AbortSignal): Promise<Result> {
    try {
      const { result, ms } = await pool.run(owner, task, [task.raw.buffer], signal)
      work.spend(owner, ms)
      return result as Result
    } catch (error) {
      // Time in the queue does not count, so the time of a failure is known only when it ran out.
      if (!signal?.aborted && error instanceof Error && error.name === 'AbortError') work.spend(owner, timeoutMs)
      throw error
    }
  }

  function openHere<Result>(owner: string, read: () => Result): Result {
    const startedAt = performance.now()
    try {
      return read()
    } finally {
      work.spend(owner, performance.now() - startedAt)
    }
  }

  return {
    secondsToWait: (owner) => work.secondsToWait(owner),
    markup: (owner, raw, signal) => open(owner, { wanted: 'markup', raw }, signal),
    async file(owner, raw, index, signal) {
      if (raw.length <= MAX_INLINE_BYTES) return openHere(owner, () => readAttachment(raw, index))
      return open(owner, { wanted: 'file', raw, index }, signal)
    },
    async files(owner, raw, signal) {
      if (raw.length <= MAX_INLINE_BYTES) return openHere(owner, () => readAttachments(raw))
      return open(owner, { wanted: 'files', raw }, signal)
    },
    // Always in a thread: a short rule can describe endless events.
    async events(owner, raw, receivedAt) {
      const { result } = await calendars.run(owner, { wanted: 'events', raw, receivedAt }, [raw.buffer])
      return result as CalendarEvents
    },
    requests: (owner, raw, signal) => open(owner, { wanted: 'requests', raw }, signal),
    async [Symbol.asyncDispose]() {
      await Promise.all([pool[Symbol.asyncDispose](), calendars[Symbol.asyncDispose]()])
    },
  }
}
