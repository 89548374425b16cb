import type { TimelineEvent } from './event.ts'

const URGENT =
  /(?:^|_)(?:fall|fell|emergency|urgent|alarm|sos|ambulance|hospital(?:ized|ised|ization)?|injur(?:y|ed)|unresponsive|wandering|missing|choking|seizure|stroke)(?:_|$)/
/** Such as `fall_risk_assessed` or `alarm_cleared`. */
const HARMLESS = /(?:^|_)(?:risk|assess\w*|prevent\w*|resolved|cleared|test|training|drill|plan\w*|discharged)(?:_|$)/

/** Whether the type of an event names an emergency. Readings are never judged: that is for people who know the patient. */
export function isUrgent({ type }: Pick<TimelineEvent, 'type'>): boolean {
  const words = type.toLowerCase().replaceAll(/[^a-z]+/g, '_')
  return URGENT.test(words) && !HARMLESS.test(words)
}
