import { z } from 'zod'

/** `warning`: it works, but not as well as it could, or not for long. `skipped`: it cannot be known here. */
const state = z.enum(['ok', 'warning', 'problem', 'skipped'])

export type State = z.infer<typeof state>

const finding = z.object({
  check: z.string(),
  state,
  says: z.string(),
  todo: z.string().optional(),
})

/** What one check found, for people, and what to do about it. */
export type Finding = z.infer<typeof finding>

/** What the doctor last found, and how far it is with the next time. */
export const examination = z.object({
  findings: z.array(finding),
  examinedAt: z.iso.datetime().optional(),
  running: z.object({ parts: z.number(), done: z.number() }).optional(),
})

export type Examination = z.infer<typeof examination>
