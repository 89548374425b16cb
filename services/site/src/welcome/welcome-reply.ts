import { randomUUID } from 'node:crypto'
import type { Reply } from '../http/reply.ts'
import { welcomePage } from '../pages/welcome.ts'
import type { FieldErrors } from '../parts/field.ts'
import { type Session, toViewer } from '../session.ts'
import { type Answers, suggestFamilyName } from './answers.ts'

export type WelcomeStep = { step: number; returnTo: string; answers: Answers; errors?: FieldErrors }

/** Draws one step on the way to a household, with what was answered before. */
export function welcomeReply(session: Session, { step, returnTo, answers, errors = {} }: WelcomeStep): Reply {
  const values = {
    ...answers,
    yourName: answers.yourName || (Object.hasOwn(errors, 'yourName') ? '' : session.name),
    familyName: answers.familyName || (Object.hasOwn(errors, 'familyName') ? '' : suggestFamilyName(answers.lovedOne)),
    key: answers.key || randomUUID(),
  }
  const page = welcomePage({ viewer: toViewer(session), step, returnTo, values, errors })
  return { page, status: Object.keys(errors).length > 0 ? 422 : 200 }
}
