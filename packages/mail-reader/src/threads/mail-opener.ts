import { createLeakyBuckets } from '@family-inbox/service-kit/lifecycle/leaky-buckets'
import type { MailCalendar } from '../calendar/calendar-files.ts'
import type { SafeMarkup } from '../markup/safe-markup.ts'
import { type AttachmentContent, type AttachmentKey, readAttachment, readAttachments } from '../mime/attachments.ts'
import type { OpenTask } from '../open-mail.ts'
import type { ReaderPool } from './reader-pool.ts'

type Raw = Uint8Array<ArrayBuffer>

/** Opens original mails that strangers wrote. Owners take turns. Every method rejects if it takes too long or too much memory. */
export type MailOpener = {
  /** Seconds until this owner may open mail again; 0 when it may now. Exports and calendars do not ask. */
  secondsToWait(owner: string): number
  markup(owner: string, raw: Raw, signal: AbortSignal): Promise<SafeMarkup | undefined>
  file(owner: string, raw: Raw, key: AttachmentKey, signal: AbortSignal): Promise<AttachmentContent | undefined>
  /** All attachments, for an export. */
  files(owner: string, raw: Raw, signal: AbortSignal): Promise<AttachmentContent[]>
  /** The events in its calendar files. */
  calendar(owner: string, raw: Raw, receivedAt: Date, signal?: AbortSignal): Promise<MailCalendar>
}

/** In milliseconds: many large mails in a row; after that, a family's mails may cost the others a tenth of a processor. */
const WORK_LIMIT = { perSecond: 100, burst: 20_000 }
/** Below this size, decoding takes some milliseconds at worst, and starting a thread much longer. */
const MAX_INLINE_BYTES = 1024 * 1024

/**
 * Works in threads that are ended after their time: no mail may block the thread that serves everyone else. A mail is
 * moved to the thread, except a small one whose attachments are wanted.
 */
export function createMailOpener(pool: ReaderPool): MailOpener {
  const work = createLeakyBuckets(WORK_LIMIT)

  async function open<Result>(owner: string, task: OpenTask, signal?: AbortSignal): Promise<Result> {
    try {
      const { result, ms } = await pool.run('open', owner, task, [task.raw.buffer], signal)
      work.add(owner, ms)
      return result as Result
    } catch (error) {
      // Time in the queue does not count, so the time of a failure is known only when it ran out.
      if (!signal?.aborted && error instanceof Error && error.name === 'AbortError')
        work.add(owner, pool.lanes.open.timeoutMs)
      throw error
    }
  }

  function openInline<Result>(owner: string, read: () => Result): Result {
    const startedAt = performance.now()
    try {
      return read()
    } finally {
      work.add(owner, performance.now() - startedAt)
    }
  }

  return {
    secondsToWait: (owner) => work.secondsUntilFree(owner, 0),
    markup: (owner, raw, signal) => open(owner, { wanted: 'markup', raw }, signal),
    async file(owner, raw, key, signal) {
      if (raw.length <= MAX_INLINE_BYTES) return openInline(owner, () => readAttachment(raw, key))
      return open(owner, { wanted: 'file', raw, key }, signal)
    },
    async files(owner, raw, signal) {
      if (raw.length <= MAX_INLINE_BYTES) return openInline(owner, () => readAttachments(raw))
      return open(owner, { wanted: 'files', raw }, signal)
    },
    // Always in a thread: five files of strangers with long rules take a moment.
    async calendar(owner, raw, receivedAt, signal) {
      const task: OpenTask = { wanted: 'calendar', raw, receivedAt }
      const { result } = await pool.run('openCalendar', owner, task, [raw.buffer], signal)
      return result as MailCalendar
    },
  }
}
