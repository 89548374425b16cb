import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine, requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import type { FieldErrors } from '../shell/fields.ts'
import type { Visit } from '../shell/visit.ts'

/** The answers of onboarding. Each step carries the earlier answers in hidden fields. */
export type Answers = {
  lovedOne: string
  yourName: string
  relationship: string
  familyName: string
  /** An idempotency key, so that sending the form twice creates one workspace. */
  key: string
}

export const STEP_FIELDS = [
  ['lovedOne'],
  ['yourName', 'relationship'],
  ['familyName'],
] as const satisfies (keyof Answers)[][]

export function readAnswers(visit: Pick<Visit, 'field'>): Answers {
  const answer = (name: keyof Answers) => visit.field(name).slice(0, 1000)
  return {
    lovedOne: answer('lovedOne'),
    yourName: answer('yourName'),
    relationship: answer('relationship'),
    familyName: answer('familyName'),
    key: answer('key').slice(0, 100),
  }
}

export function readStep(visit: Pick<Visit, 'field'>): number {
  const step = Number(visit.field('step'))
  return Number.isInteger(step) && step >= 0 && step < STEP_FIELDS.length ? step : 0
}

export function suggestFamilyName(lovedOne: string): string {
  const words = lovedOne.trim().split(/\s+/)
  return words.length > 1 ? `The ${words.at(-1)} family` : ''
}

/** Must match care-circle's rules, so an error appears at its own step and not at the last one. */
const RULES = {
  lovedOne: (value: string) => requireLine('lovedOne', value, 120),
  yourName: (value: string) => requireLine('yourName', value, 120),
  relationship: (value: string) => optionalLine('relationship', value, 60),
  familyName: (value: string) => requireLine('familyName', value, 120),
}

export const ANSWER_ERRORS = {
  lovedOne: 'Enter the name of the person you care for, up to 120 characters',
  yourName: 'Enter your own name, up to 120 characters',
  relationship: 'Enter up to 60 characters, or leave this empty',
  familyName: 'Enter a name for your family’s inbox, up to 120 characters',
}

export function checkStep(answers: Answers, step: number): FieldErrors {
  return Object.fromEntries(
    (STEP_FIELDS[step] ?? [])
      .filter((name) => !isValid(() => RULES[name](answers[name])))
      .map((name) => [name, ANSWER_ERRORS[name]]),
  )
}

function isValid(rule: () => string): boolean {
  try {
    rule()
    return true
  } catch (error) {
    if (error instanceof StatusError) return false
    throw error
  }
}
