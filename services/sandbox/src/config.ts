import { createSecretKey } from 'node:crypto'
import { backendConfig, backendSettings } from '@family-inbox/service-kit/config/base-config'
import { address, type Environment, parseSettings, SECRET, wholeNumber } from '@family-inbox/service-kit/config/config'
import { operatorPageSetting, sandboxSetting } from '@family-inbox/workspace-kit/optional-parts'
import { z } from 'zod'

export const settings = z.object({
  ...backendSettings,
  CARE_CIRCLE_ADDRESS: address('care-circle'),
  INBOX_ADDRESS: address('inbox'),
  NETWORK_KEY: z
    .string()
    .regex(/^[\w-]{43}$/)
    .describe(
      'the secret that hashes client networks for rate limits: 32 random bytes as base64url, for example from `openssl rand -base64 32 | tr +/ -_ | tr -d =`; changing it resets every limit',
    )
    .meta(SECRET),
  SANDBOX: sandboxSetting,
  OPERATOR_PAGE: operatorPageSetting,
  SANDBOX_BUCKET_CAPACITY: wholeNumber(1)
    .default(6)
    .describe('the most sandbox workspaces one client network may create in a burst, for example 6'),
  SANDBOX_REFILL_SECONDS: wholeNumber(1)
    .default(600)
    .describe('the seconds until a client network may create one more, for example 600'),
  SANDBOX_TTL_HOURS: wholeNumber(1)
    .default(168)
    .describe('the hours after which an unclaimed sandbox workspace is deleted, for example 168'),
})

export type Config = ReturnType<typeof environmentToConfig>

/** Turns the environment into this service's settings. Pure; throws ConfigError. */
export function environmentToConfig(env: Environment) {
  const values = parseSettings(settings, env)
  return {
    ...backendConfig(values),
    careCircleAddress: values.CARE_CIRCLE_ADDRESS,
    inboxAddress: values.INBOX_ADDRESS,
    networkKey: createSecretKey(values.NETWORK_KEY, 'base64url'),
    isOn: values.SANDBOX,
    hasOperatorPage: values.OPERATOR_PAGE,
    bucket: { capacity: values.SANDBOX_BUCKET_CAPACITY, refillMs: values.SANDBOX_REFILL_SECONDS * 1000 },
    ttlMs: values.SANDBOX_TTL_HOURS * 60 * 60 * 1000,
  }
}
