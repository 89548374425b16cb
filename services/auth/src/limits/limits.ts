import type { Config } from '../config.ts'
import type { Limit } from './rate-limit.ts'

/** Above this limit nothing is limited: every counted time is stored. */
const MAX_COUNTED = 1000

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** Codes mailed to one address: enough for typing errors, too few for guessing or harassment. */
export const CODES_TO_ADDRESS: Limit = {
  name: 'codes to address',
  windows: [
    { limit: 5, ms: 15 * MINUTE_MS },
    { limit: 20, ms: DAY_MS },
  ],
}

/** The separate allowance of a browser that has signed in to the address before. Strangers cannot exhaust it. */
export const CODES_TO_KNOWN_DEVICE: Limit = { name: 'codes to known device', windows: CODES_TO_ADDRESS.windows }

export const CODES_TO_CONFIRM: Limit = { name: 'codes to confirm', windows: CODES_TO_ADDRESS.windows }

/** Codes requested from one network, which may be a whole office. */
export const CODES_FROM_NETWORK: Limit = {
  name: 'codes from network',
  windows: [
    { limit: 60, ms: 15 * MINUTE_MS },
    { limit: 500, ms: DAY_MS },
  ],
}

/** Forms sent by one signed-in person. */
export const FORMS_OF_PERSON: Limit = { name: 'forms of person', windows: [{ limit: 60, ms: MINUTE_MS }] }

/**
 * Forms sent without a session from one network. Mail providers send one-click unsubscribes for many users from few
 * addresses.
 */
export const FORMS_FROM_NETWORK: Limit = { name: 'forms from network', windows: [{ limit: 300, ms: MINUTE_MS }] }

export const EXPORTS_OF_PERSON: Limit = {
  name: 'exports of person',
  windows: [
    { limit: 5, ms: 60 * MINUTE_MS },
    { limit: 10, ms: DAY_MS },
  ],
}

export const CLIENT_DOCUMENTS_FROM_NETWORK: Limit = {
  name: 'client documents from network',
  windows: [{ limit: 100, ms: 15 * MINUTE_MS }],
}

/** Clients registered from one network. Hosted assistants register one per user from few addresses. */
export function registrationsFromNetwork({ registrationsPerHour }: Config): Limit | undefined {
  return limitOf('registrations from network', registrationsPerHour, 60 * MINUTE_MS)
}

/** Authorization requests from one network, which may be an office or a mobile carrier. */
export function authorizationsFromNetwork({ oauthRequestsPerMinute }: Config): Limit | undefined {
  return limitOf('authorizations from network', oauthRequestsPerMinute, MINUTE_MS)
}

/** Token and revocation requests from one network. Hosted assistants send them for all users from few addresses. */
export function tokenRequestsFromNetwork({ oauthRequestsPerMinute }: Config): Limit | undefined {
  return limitOf('token requests from network', oauthRequestsPerMinute, MINUTE_MS)
}

function limitOf(name: string, limit: number, ms: number): Limit | undefined {
  return limit > MAX_COUNTED ? undefined : { name, windows: [{ limit, ms }] }
}
