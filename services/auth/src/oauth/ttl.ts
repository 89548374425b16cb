const MINUTE = 60
const DAY = 24 * 60 * MINUTE

/**
 * How long everything of oidc-provider lives, in seconds. A refresh token lives on with each use; its grant ends after a
 * year however much it is used, and the person is asked again.
 */
export const TTL = {
  AccessToken: 60 * MINUTE,
  AuthorizationCode: MINUTE,
  RefreshToken: 30 * DAY,
  Grant: 365 * DAY,
  IdToken: 60 * MINUTE,
  Interaction: 60 * MINUTE,
  Session: 30 * DAY,
} as const
