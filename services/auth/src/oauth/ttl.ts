const MINUTE = 60
const DAY = 24 * 60 * MINUTE

/** Lifetimes in seconds. A refresh token's restarts with each use; a grant's does not. */
export const TTL = {
  AccessToken: 60 * MINUTE,
  AuthorizationCode: MINUTE,
  RefreshToken: 30 * DAY,
  Grant: 365 * DAY,
  IdToken: 60 * MINUTE,
  Interaction: 60 * MINUTE,
  Session: 30 * DAY,
} as const
