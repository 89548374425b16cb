import { createSecretKey } from 'node:crypto'
import { backendConfig, backendSettings } from '@family-inbox/service-kit/config/base-config'
import {
  address,
  daysKept,
  type Environment,
  httpUrl,
  parseSettings,
  SECRET,
  wholeNumber,
} from '@family-inbox/service-kit/config/config'
import { operatorPageSetting } from '@family-inbox/workspace-kit/optional-parts'
import { signUpSetting } from '@family-inbox/workspace-kit/sign-up'
import { z } from 'zod'

export const settings = z.object({
  ...backendSettings,
  PIPE_ADDRESS: address('pipe')
    .default('dns:///pipe:50051')
    .describe('the gRPC address of pipe, for example dns:///pipe:50051'),
  INBOX_URL: httpUrl.describe(
    'the public address of the web app, used in invitation links, for example http://localhost:8082',
  ),
  INVITATION_KEY: z
    .string()
    .regex(/^[\w-]{43}$/)
    .describe(
      'the secret that invitation links and hashes of provider codes are derived from: 32 random bytes as base64url, for example from `openssl rand -base64 32 | tr +/ -_ | tr -d =`; changing it voids codes of providers and of emergency sheets',
    )
    .meta(SECRET),
  SIGN_UP: signUpSetting,
  OPERATOR_PAGE: operatorPageSetting,
  INVITATIONS_PER_DAY: wholeNumber(1)
    .max(1000)
    .default(50)
    .describe(
      'the most invitation mails a workspace, and a person, may send in any 24 hours, and the most open invitations in a workspace, for example 50',
    ),
  NEW_FAMILY_INVITATIONS_PER_DAY: wholeNumber(1)
    .max(1000)
    .default(10)
    .describe(
      'the most invitation mails a workspace, and a person in it, may send in any 24 hours during its first week and until somebody accepted one, for example 10',
    ),
  INVITATIONS_PER_NETWORK: wholeNumber(1)
    .default(50)
    .describe(
      'the most invitation mails that such new workspaces may send from one network in any 24 hours, for example 50; above 1000 there is no limit',
    ),
  DEAD_LETTERS_KEPT_DAYS: daysKept(1)
    .default(90)
    .describe('how many days a care event that could not be stored is kept, 1 to 20000, for example 90'),
})

export type Config = ReturnType<typeof environmentToConfig>

/** Parses the environment into settings. Pure. @throws ConfigError */
export function environmentToConfig(env: Environment) {
  const values = parseSettings(settings, env)
  return {
    ...backendConfig(values),
    pipeAddress: values.PIPE_ADDRESS,
    inboxUrl: values.INBOX_URL,
    invitationKey: createSecretKey(values.INVITATION_KEY, 'base64url'),
    signUp: values.SIGN_UP,
    hasOperatorPage: values.OPERATOR_PAGE,
    invitationsPerDay: values.INVITATIONS_PER_DAY,
    newFamilyInvitationsPerDay: Math.min(values.NEW_FAMILY_INVITATIONS_PER_DAY, values.INVITATIONS_PER_DAY),
    invitationsPerNetwork: values.INVITATIONS_PER_NETWORK,
    deadLettersKeptDays: values.DEAD_LETTERS_KEPT_DAYS,
  }
}
