import type { Outcome } from '@family-inbox/proto/auth/v1/auth'
import { durations } from '@family-inbox/service-kit/metrics'

const seconds = durations({
  name: 'tool_call_seconds',
  help: 'Calls of the family’s tools with a known credential, by tool, how long they took and how they ended.',
  labels: ['tool', 'outcome'],
})

/** Counts one tool call. @param tool a name of the catalogue, or `unknown` */
export function observeToolCall(tool: string, outcome: Outcome, durationUs: number): void {
  seconds.observe({ tool, outcome: outcome.replace('OUTCOME_', '').toLowerCase() }, durationUs / 1e6)
}
