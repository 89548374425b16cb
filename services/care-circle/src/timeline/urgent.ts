import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { toSnakeCase } from './snake-case.ts'

const URGENT =
  /(?:^|_)(?:fall|falls|fallen|fell|emergency|urgent|alarm|sos|panic|ambulance|hospital(?:i[sz](?:ed|ation))?|injur(?:y|ies|ed)|unresponsive|unconscious|collapsed?|wander(?:ed|ing)|missing|choking|seizure|stroke)(?:_|$)/
/** Such as `fall_risk_assessed`, `false_alarm`, `emergency_contact_updated` or `missing_signature`. */
const HARMLESS =
  /(?:^|_)(?:risk|assess\w*|prevent\w*|resolved|cleared|test|training|drill|plan\w*|discharged|false|non|not|no|cancell?ed|contacts?|appointments?|schedul\w*|signatures?|documents?|documentation|timesheets?|forms?|data)(?:_|$)/

/** Whether the type of an event names an emergency. Readings are never judged: that is for people who know the patient. */
export function isUrgent(eventType: string): boolean {
  const words = toSnakeCase(eventType).replaceAll(/[^a-z]+/g, '_')
  return URGENT.test(words) && !HARMLESS.test(words)
}

/** The times of events that still need urgent mail: an agency may send older ones, and its clock may be ahead. */
export function recentRange(now: Date): { $gte: Date; $lte: Date } {
  return { $gte: new Date(now.getTime() - DAY_MS), $lte: new Date(now.getTime() + DAY_MS) }
}

export type UntakenUrgent = ReturnType<typeof untakenUrgent>

/** The filter for urgent events of the last day that nobody takes care of. */
export function untakenUrgent(workspaceId: string, now: Date) {
  return { workspaceId, urgent: true as const, taken: null, occurredAt: recentRange(now) }
}

export function isRecent({ occurredAt }: { occurredAt: Date }, now: Date): boolean {
  const { $gte, $lte } = recentRange(now)
  return occurredAt >= $gte && occurredAt <= $lte
}
