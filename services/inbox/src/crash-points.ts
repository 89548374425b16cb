import { declareCrashPoints } from '@family-inbox/service-kit/lifecycle/crash-point'

/** After each durable step between a request and its last effect. */
export const CRASH_POINTS = [
  'message-stored',
  'message-kept-out',
  'fetched-mail-handled',
  'mailbox-advanced',
  'answer-recorded',
  'reply-stored',
  'opening-stored',
  'reply-queued',
  'copy-queued',
  'delivery-recorded',
  'mail-claimed',
  'mail-answered',
  'mail-marked',
  'proposal-stored',
  'reply-approved',
  'proposal-marked',
  'events-published',
  'moved-aside',
  'moved-back',
  'message-moved',
  'purge-decided',
  'mail-half-purged',
  'sender-blocked',
  'only-senders-set',
  'reply-deleted',
  'reply-files-purged',
] as const

export const crashPoint = declareCrashPoints(CRASH_POINTS)
