import { type ConversationState, ConversationStatus } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html } from '../shell/html.ts'

/** Who takes care of a conversation, or that it is done, in its row of the list. Open work has no word: most mail is open. */
export function rowStatus(state: ConversationState | undefined, readerId: string): Html | undefined {
  if (state === undefined) return undefined
  const { status, assigneeId, assigneeName } = state
  if (status === ConversationStatus.TAKEN)
    return assigneeId === readerId
      ? html`<span class="status taken">you have it</span> `
      : html`<span class="status taken"><bdi>${assigneeName}</bdi> has it</span> `
  if (status === ConversationStatus.DONE) return html`<span class="status finished">done</span> `
  if (status === ConversationStatus.NOT_NEEDED) return html`<span class="status finished">not needed</span> `
  return undefined
}
