import { StatusError } from '@family-inbox/service-kit/status-error'
import { optionalLine, requireLine } from '@family-inbox/service-kit/text-rules'
import type { FieldErrors } from '../parts/field.ts'
import { type Answers, ASKED } from './answers.ts'

/** The rules of care-circle for each answer, so that a step says at once what the last one would be refused for. */
const RULES = {
  lovedOne: (value: string) => requireLine('lovedOne', value, 120),
  yourName: (value: string) => requireLine('yourName', value, 120),
  relationship: (value: string) => optionalLine('relationship', value, 60),
  familyName: (value: string) => requireLine('familyName', value, 120),
}

/** What is wrong with an answer, in words for the person who gave it. */
export const ANSWER_WORDS = {
  lovedOne: 'Type the name of the person you care for, up to 120 characters',
  yourName: 'Type your own name, up to 120 characters',
  relationship: 'Say what you are to them in up to 60 characters, or leave it empty',
  familyName: 'Type a name for your family’s inbox, up to 120 characters',
}

/** What is wrong with the answers of a step. */
export function checkStep(answers: Answers, step: number): FieldErrors {
  return Object.fromEntries(
    (ASKED[step] ?? [])
      .filter((name) => !isFit(() => RULES[name](answers[name])))
      .map((name) => [name, ANSWER_WORDS[name]]),
  )
}

function isFit(rule: () => string): boolean {
  try {
    rule()
    return true
  } catch (error) {
    if (error instanceof StatusError) return false
    throw error
  }
}
