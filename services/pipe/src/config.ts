import { backendConfig, backendSettings } from '@family-inbox/service-kit/config/base-config'
import {
  address,
  type Environment,
  parseSettings,
  SECRET,
  secretBoxKeys,
  wholeNumber,
} from '@family-inbox/service-kit/config/config'
import { z } from 'zod'

export const settings = z.object({
  ...backendSettings,
  CARE_CIRCLE_ADDRESS: address('care-circle'),
  PIPE_SECRET_KEYS: secretBoxKeys
    .describe(
      'the keys that encrypt partners’ secrets: a JSON list, each 32 random bytes as base64url; the first one encrypts and all decrypt, for example ["…"]',
    )
    .meta(SECRET),
  PIPE_EVENTS_PER_MINUTE: wholeNumber(1)
    .default(600)
    .describe('the most events a partner may send in any 60 seconds, for example 600; above 100000 there is no limit'),
  PIPE_SECRET_OVERLAP_HOURS: wholeNumber(0)
    .max(24 * 90)
    .default(24 * 7)
    .describe('the hours a secret stays valid after it was replaced, for example 168'),
})

export type Config = ReturnType<typeof environmentToConfig>

/** Turns the environment into this service's settings. Pure; throws ConfigError. */
export function environmentToConfig(env: Environment) {
  const values = parseSettings(settings, env)
  return {
    ...backendConfig(values),
    careCircleAddress: values.CARE_CIRCLE_ADDRESS,
    secretKeys: values.PIPE_SECRET_KEYS,
    eventsPerMinute: values.PIPE_EVENTS_PER_MINUTE,
    secretOverlapMs: values.PIPE_SECRET_OVERLAP_HOURS * 60 * 60 * 1000,
  }
}
