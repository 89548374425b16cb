import { declareCrashPoints } from '@family-inbox/service-kit/lifecycle/crash-point'

/** After each durable step between a request and its last effect. */
export const CRASH_POINTS = [
  'invitation-stored',
  'invitation-queued',
  'invitation-proposal-announced',
  'invitation-approved',
  'invitation-proposal-marked',
  'event-stored',
  'appointment-stored',
  'passkeys-asked',
  'to-do-stored',
  'to-do-status-changed',
  'emergency-sheet-stored',
  'emergency-link-stored',
  'emergency-link-mailed',
] as const

export const crashPoint = declareCrashPoints(CRASH_POINTS)
