/** How one address or one family can try to slow down everybody else. */
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

/** Seconds an attack lasts before it is measured: until the attacker has used up the burst that its family may have. */
export const LEAD_SECONDS: Partial<Record<AttackName, number>> = {
  'aborted downloads': 25,
  'mail flood': 15,
  'forged events': 5,
  'wrong sign-in codes': 5,
  registrations: 5,
}

export type Attack = { name: AttackName; perSecond: number; seconds: number }

export type AttackFigures = { sent: number; seconds: number }

export type AttackOptions = {
  apiUrl: string
  inboxUrl: string
  smtp: { host: string; port: number }
  /** The attacker's own family: an inbox address, the path of a large file in it, and the owner's cookie. */
  inboxAddress: string
  filePath: string
  cookie: string
}
