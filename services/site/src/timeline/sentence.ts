import { eventInWords } from '../shell/event-in-words.ts'
import { minutesInWords } from '../shell/moment.ts'
import type { Details, TimelineEvent } from './event.ts'

const MINUTE_MS = 60_000
/** Smaller differences from the plan are not mentioned. */
const VISIT_TOLERANCE_MIN = 10
const MEDICATION_TOLERANCE_MIN = 30

export function sentenceOf({ type, details, occurredAt }: TimelineEvent): string {
  if (details === undefined) return eventInWords(type)
  if (details.kind === 'other') return eventInWords(type, details.texts)
  return SENTENCES[details.kind](details as never, occurredAt)
}

type Sentences = {
  [K in Exclude<Details['kind'], 'other'>]: (details: Extract<Details, { kind: K }>, occurredAt: Date) => string
}

const SENTENCES: Sentences = {
  visit_started({ location, scheduledStart, actualStart }, occurredAt) {
    const where = location === '' ? '' : ` (${location})`
    return `A caregiver arrived${where}${comparedWithPlan(scheduledStart, actualStart ?? occurredAt, VISIT_TOLERANCE_MIN)}`
  },
  visit_ended: ({ minutes }) => `A caregiver visited for ${minutesInWords(minutes)}`,
  note_added: () => 'A caregiver wrote a note',
  med_administered({ name, amount, unit, scheduledAt }, occurredAt) {
    return `${[name, doseOf({ amount, unit })].join(' ').trim()} given${comparedWithPlan(scheduledAt, occurredAt, MEDICATION_TOLERANCE_MIN)}`
  },
  vital_recorded: (details) => `${vitalName(details.vital)} ${readingOf(details)}`,
}

type MedicationDetails = Extract<Details, { kind: 'med_administered' }>

/** As the agency wrote it, such as "500 mg". */
export function doseOf({ amount, unit }: Pick<MedicationDetails, 'amount' | 'unit'>): string {
  return [roundNoise(amount), unit].filter((part) => part !== '').join(' ')
}

/** Such as ", 20 minutes later than planned"; empty when on time or unplanned. */
function comparedWithPlan(planned: Date | undefined, actual: Date, toleranceMin: number): string {
  if (planned === undefined) return ''
  const minutes = Math.round((actual.getTime() - planned.getTime()) / MINUTE_MS)
  if (Math.abs(minutes) < toleranceMin) return ''
  return `, ${minutesInWords(Math.abs(minutes))} ${minutes > 0 ? 'later' : 'earlier'} than planned`
}

/** Later than planned by so much that its sentence says so. */
export function isLateDose({ details, occurredAt }: TimelineEvent): boolean {
  const planned = details?.kind === 'med_administered' ? details.scheduledAt : undefined
  return planned !== undefined && occurredAt.getTime() - planned.getTime() >= MEDICATION_TOLERANCE_MIN * MINUTE_MS
}

type VitalDetails = Extract<Details, { kind: 'vital_recorded' }>

/** Common names for the agencies' vital types. */
const NAMES: Record<string, string> = {
  blood_pressure: 'Blood pressure',
  heart_rate: 'Pulse',
  pulse: 'Pulse',
  weight: 'Weight',
  body_weight: 'Weight',
  temperature: 'Temperature',
  body_temperature: 'Temperature',
  oxygen_saturation: 'Blood oxygen',
  spo2: 'Blood oxygen',
  blood_glucose: 'Blood sugar',
  glucose: 'Blood sugar',
  respiratory_rate: 'Breathing rate',
  pain: 'Pain',
  pain_level: 'Pain',
}

const UNITS: Record<string, string> = {
  mmhg: 'mmHg',
  bpm: 'beats per minute',
  c: '°C',
  celsius: '°C',
  f: '°F',
  fahrenheit: '°F',
  percent: '%',
  lbs: 'lb',
}

export function vitalName(vital: string): string {
  const key = vital.toLowerCase()
  if (Object.hasOwn(NAMES, key)) return NAMES[key] ?? vital
  return eventInWords(vital)
}

export function unitName(unit: string): string {
  const key = unit.trim().toLowerCase()
  return Object.hasOwn(UNITS, key) ? (UNITS[key] ?? unit) : unit.trim()
}

/** Formats as "61.2 kg" or "128/82 mmHg". */
export function readingOf({ value, secondValue, unit }: VitalDetails): string {
  const values = [value, secondValue].filter((part) => part !== '').map(roundNoise)
  return `${values.join('/')} ${unitName(unit)}`.trim()
}

/** More than four decimals come from floating-point arithmetic: 59.400000000000006 was measured as 59.4. */
function roundNoise(value: string): string {
  if (!/^[-+]?\d{1,9}\.\d{5,}$/.test(value)) return value
  const number = Number(value)
  return `${Number(Math.abs(number) < 1 ? number.toPrecision(3) : number.toFixed(2))}`
}
