import type { Details } from './event.ts'

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

/** The display name of a vital type. */
export function vitalName(vital: string): string {
  const key = vital.toLowerCase()
  if (Object.hasOwn(NAMES, key)) return NAMES[key] ?? vital
  return sentenceCase(vital)
}

/** Turns an identifier into words: `fall_detected` becomes "Fall detected". */
export function sentenceCase(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim()
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** The display form of a unit. */
export function unitName(unit: string): string {
  const key = unit.trim().toLowerCase()
  return Object.hasOwn(UNITS, key) ? (UNITS[key] ?? unit) : unit.trim()
}

/** Formats as "61.2 kg" or "128/82 mmHg". */
export function readingOf({ value, secondValue, unit }: VitalDetails): string {
  const values = secondValue === '' ? value : `${value}/${secondValue}`
  return `${values} ${unitName(unit)}`.trim()
}
