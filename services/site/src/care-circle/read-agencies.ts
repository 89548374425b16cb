import type { LovedOne } from '../household.ts'

/** A care agency that was given a code for a loved one. */
export type LinkedAgency = {
  name: string
  lovedOne: LovedOne
  /** Whether it shares what it does with the family now; the agency decides that. */
  isSharing: boolean
  linkedAt: Date | undefined
}
