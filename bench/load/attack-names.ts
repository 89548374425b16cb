/** The ways in which one address or one household can try to slow down all others. */
export const ATTACKS = [
  'aborted downloads',
  'slow connections',
  'forged events',
  'wrong sign-in codes',
  'registrations',
  'mail flood',
  'sandbox starts',
  'bad JSON',
] as const

export type AttackName = (typeof ATTACKS)[number]

export type Attack = { name: AttackName; perSecond: number; seconds: number }

export type AttackFigures = { sent: number; seconds: number }

export type AttackOptions = {
  apiUrl: string
  inboxUrl: string
  smtp: { host: string; port: number }
  /** Where the attacker's own family gets mail, and the cookie of its owner. */
  inboxAddress: string
  cookie: string
}
