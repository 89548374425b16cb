import type { Visit } from '../http/visit.ts'

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
