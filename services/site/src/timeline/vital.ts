import type { Details } from './event.ts'

export type VitalDetails = Extract<Details, { kind: 'vital_recorded' }>

/** What agencies call a measurement, and what a family calls it. */
const NAMES: Record<string, string> = {
  blood_pressure: 'Blood pressure',
  heart_rate: 'Pulse',
  pulse: 'Pulse',
  weight: 'Weight',
  body_weight: 'Weight',
  temperature: 'Temperature',
  body_temperature: 'Temperature',
  oxygen_saturation: 'Oxygen in the blood',
  spo2: 'Oxygen in the blood',
  blood_glucose: 'Blood sugar',
  glucose: 'Blood sugar',
  respiratory_rate: 'Breaths',
  pain: 'Pain',
  pain_level: 'Pain',
}

const UNITS: Record<string, string> = {
  mmhg: 'mmHg',
  bpm: 'beats a minute',
  c: '°C',
  celsius: '°C',
  f: '°F',
  fahrenheit: '°F',
  percent: '%',
  lbs: 'lb',
}

/** A measurement's name, in words. One we do not know is said as the agency said it. */
export function vitalName(vital: string): string {
  const key = vital.toLowerCase()
  if (Object.hasOwn(NAMES, key)) return NAMES[key] ?? vital
  const words = vital.replaceAll(/[_-]+/g, ' ').trim()
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** A unit as it is written. */
export function unitName(unit: string): string {
  const key = unit.trim().toLowerCase()
  return Object.hasOwn(UNITS, key) ? (UNITS[key] ?? unit) : unit.trim()
}

/** What was measured: "61.2 kg", "128/82 mmHg", "97 %". */
export function readingOf({ value, secondValue, unit }: VitalDetails): string {
  const values = secondValue === '' ? value : `${value}/${secondValue}`
  return `${values} ${unitName(unit)}`.trim()
}
