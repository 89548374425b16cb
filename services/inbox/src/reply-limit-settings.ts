import type { RateWindow } from '@family-inbox/service-kit/mongo/rate-limit'
import { DAY_MS, HOUR_MS } from '@family-inbox/service-kit/time/days'
import { z } from 'zod'

/** Per hour, then per day. */
const replyLimit = z.string().regex(/^[1-9]\d{0,5}\/[1-9]\d{0,5}$/)

/** The part of the settings that is about how many replies may be sent. */
export const replyLimitSettings = {
  REPLIES_PER_WORKSPACE: replyLimit
    .default('60/200')
    .describe('the most replies a workspace may send per hour and per day, for example 60/200'),
  REPLIES_PER_NEW_WORKSPACE: replyLimit
    .default('30/60')
    .describe('the same for a workspace less than a week old, for example 30/60'),
  REPLIES_PER_PERSON: replyLimit
    .default('40/100')
    .describe('the most replies a person may send per hour and per day, for example 40/100'),
  REPLIES_PER_RECIPIENT: replyLimit
    .default('30/50')
    .describe('the most replies a workspace may send to one address per hour and per day, for example 30/50'),
  REPLIES_TO_UNVERIFIED: replyLimit
    .default('30/40')
    .describe(
      'the most replies a workspace may send to addresses not verified by DMARC, per hour and per day, for example 30/40',
    ),
}

const shape = z.object(replyLimitSettings)

export function replyLimitsConfig(values: z.infer<typeof shape>) {
  return {
    workspace: readReplyLimit(values.REPLIES_PER_WORKSPACE),
    newWorkspace: readReplyLimit(values.REPLIES_PER_NEW_WORKSPACE),
    person: readReplyLimit(values.REPLIES_PER_PERSON),
    recipient: readReplyLimit(values.REPLIES_PER_RECIPIENT),
    unverified: readReplyLimit(values.REPLIES_TO_UNVERIFIED),
  }
}

function readReplyLimit(limit: string): RateWindow[] {
  const [perHour = 0, perDay = 0] = limit.split('/').map(Number)
  return [
    { most: perHour, ms: HOUR_MS },
    { most: perDay, ms: DAY_MS },
  ]
}
