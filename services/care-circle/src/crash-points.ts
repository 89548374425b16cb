import { declareCrashPoints } from '@family-inbox/service-kit/lifecycle/crash-point'

/** After each durable step between a request and its last effect. */
export const CRASH_POINTS = [
  'invitation-stored',
  'invitation-queued',
  'invitation-approved',
  'invitation-proposal-marked',
  'event-stored',
  'appointment-stored',
] as const

export const crashPoint = declareCrashPoints(CRASH_POINTS)
