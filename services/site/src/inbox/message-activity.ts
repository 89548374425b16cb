import { type ListAuditEntriesResponse, Outcome } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { calendarDay, relativeDay, shortDay } from '../shell/moment.ts'
import { assistantOf, withQuery } from '../shell/parts.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import { type Visit, withTimeout } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'

/** The page does not wait longer for the activity. */
const TIMEOUT_MS = 1000
const MAX_READ = 50
const MAX_SHOWN = 5

export type MessageActivity = Pick<ListAuditEntriesResponse, 'entries' | 'credentials'>

/** Reads assistants’ calls about a message: the reader's own, or everyone's for the owner. Nothing while auth is away. */
export async function readMessageActivity(
  ctx: Context,
  visit: Visit,
  { session }: Workspace,
  { messageId }: { messageId: string },
): Promise<MessageActivity> {
  const request = { pageSize: MAX_READ, pageToken: '', tool: '', outcomes: [], personId: '', messageId }
  const read = ctx.auth.listAuditEntries(request, asPerson(session, withTimeout(visit, TIMEOUT_MS)))
  return read.catch(() => ({ entries: [], credentials: [] }))
}

/** Writes a line for each assistant and action, the latest first. */
export function messageActivityLines(
  { entries, credentials }: MessageActivity,
  { nameOf }: Workspace,
  clock: ReaderClock,
): Html | undefined {
  const credentialOf = new Map(credentials.map(({ id, name }) => [id, name]))
  const latest = new Map<string, Html>()
  for (const { personId, credentialId, tool, outcome, startedAt: at = new Date(0) } of entries) {
    const did = actionOf(tool, outcome)
    const key = [personId, credentialId, did].join('\n')
    if (latest.has(key) || latest.size === MAX_SHOWN) continue
    const assistant = assistantOf(nameOf.get(personId) ?? 'a former member', credentialOf.get(credentialId) ?? '')
    const href = withQuery('/settings/agent-activity', { day: calendarDay(at, clock), assistant: credentialId })
    const when = relativeDay(at, clock) ?? `on ${shortDay(at, clock)}`
    latest.set(key, html`<li>${assistant} <a href="${href}">${did} ${when}</a></li>\n`)
  }
  if (latest.size === 0) return undefined
  return html`<ul class="hint by-assistants" aria-label="What assistants did">${[...latest.values()]}</ul>`
}

function actionOf(tool: string, outcome: Outcome): string {
  if (tool === 'get_inbox_message') return 'read this'
  return outcome === Outcome.APPROVAL_ASKED ? 'proposed a reply' : 'replied'
}
