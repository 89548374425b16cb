import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine, requireLine } from '@family-inbox/service-kit/text/text-rules'
import type { FieldErrors } from '../shell/field.ts'
import type { Visit } from '../shell/visit.ts'

/** What a person says on the way to a household. Each step carries the answers of those before it along in its form. */
export type Answers = {
  lovedOne: string
  yourName: string
  relationship: string
  familyName: string
  /** Made with the first page and sent with the last: however often that is sent, one household comes of it. */
  key: string
}

/** Which answers a step asks for, in the order it asks. */
export const ASKED = [['lovedOne'], ['yourName', 'relationship'], ['familyName']] as const satisfies (keyof Answers)[][]

/** Reads all that was answered so far. */
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

/** The step a form was sent from, from 0; the first for anything else. */
export function readStep(visit: Pick<Visit, 'field'>): number {
  const step = Number(visit.field('step'))
  return Number.isInteger(step) && step >= 0 && step < ASKED.length ? step : 0
}

/** A name for the family that most would choose: by the loved one’s last name, when they were given one. */
export function suggestFamilyName(lovedOne: string): string {
  const words = lovedOne.trim().split(/\s+/)
  return words.length > 1 ? `The ${words.at(-1)} family` : ''
}

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
