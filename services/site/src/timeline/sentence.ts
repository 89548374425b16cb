import type { Details, TimelineEvent } from './event.ts'
import { readingOf, vitalName } from './vital.ts'

const MINUTE_MS = 60_000
/** What nobody would call late or early. */
const VISIT_TOLERANCE_MIN = 10
const MEDICATION_TOLERANCE_MIN = 30

/** What happened, in one sentence. */
export function sentenceOf({ type, details, occurredAt }: TimelineEvent): string {
  if (details === undefined) return `Something we have no words for yet: ${spokenName(type)}`
  return SENTENCES[details.kind](details as never, occurredAt)
}

type Sentences = { [K in Details['kind']]: (details: Extract<Details, { kind: K }>, occurredAt: Date) => string }

const SENTENCES: Sentences = {
  visit_started({ location, scheduledStart, actualStart }, occurredAt) {
    const place = location === '' ? '' : ` (${location})`
    return `A carer arrived${place}${comparedWithPlan(scheduledStart, actualStart ?? occurredAt, VISIT_TOLERANCE_MIN)}`
  },
  visit_ended: ({ minutes }) => `A carer visited for ${minutesInWords(minutes)}`,
  note_added: () => 'A carer wrote a note',
  med_administered({ name, amount, unit, scheduledAt }, occurredAt) {
    const dose = [amount, unit].filter((part) => part !== '').join(' ')
    return `${[name, dose].join(' ').trim()} was given${comparedWithPlan(scheduledAt, occurredAt, MEDICATION_TOLERANCE_MIN)}`
  },
  vital_recorded: (details) => `${vitalName(details.vital)} ${readingOf(details)}`,
}

/** ", 20 minutes later than planned"; nothing when it was about on time, or there was no plan. */
function comparedWithPlan(planned: Date | undefined, actual: Date, toleranceMin: number): string {
  if (planned === undefined) return ''
  const minutes = Math.round((actual.getTime() - planned.getTime()) / MINUTE_MS)
  if (Math.abs(minutes) < toleranceMin) return ''
  return `, ${minutesInWords(Math.abs(minutes))} ${minutes > 0 ? 'later' : 'earlier'} than planned`
}

/** "45 minutes", "1 hour 10 minutes", "3 days". */
export function minutesInWords(minutes: number): string {
  const whole = Math.max(0, Math.round(minutes))
  if (whole < 60) return amount(whole, 'minute')
  const hours = Math.floor(whole / 60)
  if (hours >= 48) return amount(Math.round(hours / 24), 'day')
  const rest = whole % 60
  return rest === 0 ? amount(hours, 'hour') : `${amount(hours, 'hour')} ${amount(rest, 'minute')}`
}

/** A name a machine gave, as one would say it: `fall_detected` is "fall detected". */
export function spokenName(name: string): string {
  return name.replaceAll(/[_-]+/g, ' ').trim()
}

function amount(count: number, unit: string): string {
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
}
