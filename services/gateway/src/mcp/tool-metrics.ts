import type { Outcome } from '@family-inbox/proto/auth/v1/auth'
import { durations } from '@family-inbox/service-kit/metrics'
import { describeStep } from '@family-inbox/service-kit/trace/steps'

const seconds = durations({
  name: 'tool_call_seconds',
  help: 'Calls of the family’s tools with a known credential, by tool, how long they took and how they ended.',
  labels: ['tool', 'outcome'],
})

/** Counts one tool call, and says in its trace what it was. @param tool a name of the catalogue, or `unknown` */
export function observeToolCall(tool: string, outcome: Outcome, durationUs: number): void {
  const ended = outcome.replace('OUTCOME_', '').toLowerCase()
  seconds.observe({ tool, outcome: ended }, durationUs / 1e6)
  describeStep({ 'gen_ai.tool.name': tool, 'family_inbox.outcome': ended })
}
