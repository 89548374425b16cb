import { declareCrashPoints } from '@family-inbox/service-kit/lifecycle/crash-point'

/** After each durable step between a request and its last effect. */
export const CRASH_POINTS = [
  'code-stored',
  'code-queued',
  'call-recorded',
  'passkey-only-stored',
  'act-recorded',
] as const

export const crashPoint = declareCrashPoints(CRASH_POINTS)
