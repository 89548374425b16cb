import type { Config } from '../config.ts'
import type { Limit } from './rate-limit.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** Codes mailed to one address: enough for a person who mistypes, little for whoever wants to annoy one or to guess. */
export const CODES_TO_ADDRESS: Limit = {
  name: 'codes to address',
  windows: [
    { limit: 5, ms: 15 * MINUTE_MS },
    { limit: 20, ms: DAY_MS },
  ],
}

/** Codes mailed to one address for a browser that has signed in to it before: nobody else can use them up. */
export const CODES_TO_KNOWN_DEVICE: Limit = { name: 'codes to known device', windows: CODES_TO_ADDRESS.windows }

/** Codes mailed to confirm one session. */
export const CODES_TO_CONFIRM: Limit = { name: 'codes to confirm', windows: CODES_TO_ADDRESS.windows }

/** Codes asked for from one network: a whole office may sit behind it. */
export const CODES_FROM_NETWORK: Limit = {
  name: 'codes from network',
  windows: [
    { limit: 60, ms: 15 * MINUTE_MS },
    { limit: 500, ms: DAY_MS },
  ],
}

/** Forms a signed-in person sends: more than anybody types, and less than a program that tries things out would like. */
export const FORMS_OF_PERSON: Limit = { name: 'forms of person', windows: [{ limit: 60, ms: MINUTE_MS }] }

/**
 * Forms sent without a session from one network, such as those that end mails: mail programs send them for all of their users,
 * from few addresses.
 */
export const FORMS_FROM_NETWORK: Limit = { name: 'forms from network', windows: [{ limit: 300, ms: MINUTE_MS }] }

/** Downloads of everything a household has. */
export const EXPORTS_OF_PERSON: Limit = {
  name: 'exports of person',
  windows: [
    { limit: 5, ms: 60 * MINUTE_MS },
    { limit: 10, ms: DAY_MS },
  ],
}

/** Fetches of client-id metadata documents asked for from one network. */
export const CLIENT_DOCUMENTS_FROM_NETWORK: Limit = {
  name: 'client documents from network',
  windows: [{ limit: 100, ms: 15 * MINUTE_MS }],
}

/** Above this many nothing is limited: what is counted is kept time by time. */
const MOST_COUNTED = 1000

/** Applications registered from one network: hosted assistants register one for each of their users, from few addresses. */
export function registrationsFromNetwork({ registrationsPerHour }: Config): Limit | undefined {
  return limitOf('registrations from network', registrationsPerHour, 60 * MINUTE_MS)
}

/** Steps of authorizations from one network, which browsers ask for: an office's, or a mobile carrier's. */
export function authorizationsFromNetwork({ oauthRequestsPerMinute }: Config): Limit | undefined {
  return limitOf('authorizations from network', oauthRequestsPerMinute, MINUTE_MS)
}

/** Tokens asked for, or revoked, from one network: hosted assistants do it for all of their users, from few addresses. */
export function tokenRequestsFromNetwork({ oauthRequestsPerMinute }: Config): Limit | undefined {
  return limitOf('token requests from network', oauthRequestsPerMinute, MINUTE_MS)
}

function limitOf(name: string, limit: number, ms: number): Limit | undefined {
  return limit > MOST_COUNTED ? undefined : { name, windows: [{ limit, ms }] }
}
