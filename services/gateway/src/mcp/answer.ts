import type { Outcome } from '@family-inbox/proto/auth/v1/auth'

/** What goes back for one POST. */
export type Answer = {
  status: number
  /** JSON text; none for an accepted notification. */
  body?: string
  headers?: Record<string, string>
  /** Set when a tool was called: how it ended, for the record. */
  outcome?: Outcome
}
