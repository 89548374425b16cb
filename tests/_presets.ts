import type { StackOptions } from '@family-inbox/local-stack/stack'

export type Preset = {
  /** What its tests need. */
  readonly reason: string
  readonly options: StackOptions
  /** One test uses it at a time, and may kill and pause what is `separate`, and NATS. */
  readonly isLeased?: true
}

/** All tests come from one network. */
const EVERYWHERE = {
  HTTP_MAX_CONNECTIONS_PER_PEER: '10000',
  OAUTH_REQUESTS_PER_MINUTE: '1000000',
  SIGN_IN_CODES_PER_NETWORK: '1000000',
  INVITATIONS_PER_NETWORK: '1000000',
  NEW_FAMILY_INVITATIONS_PER_DAY: '1000',
  SANDBOX_BUCKET_CAPACITY: '1000000',
  SANDBOX_REFILL_SECONDS: '1',
  REPLY_UNDO_SECONDS: '5',
  POSTMASTER_MAILBOX: 'operator@operator.example',
  MAILBOX_OAUTH_CLIENTS: JSON.stringify({ microsoft: { clientId: 'tests', clientSecret: 'nobody asks for it' } }),
}

const LIMITS_LIFTED = { ...EVERYWHERE, TOOL_CALLS_PER_MINUTE: '1000000', PIPE_EVENTS_PER_MINUTE: '1000000' }

/** Notifications gather for two seconds, and a header says which network a call comes from. */
const QUICK = {
  ...LIMITS_LIFTED,
  NOTIFICATION_DELAY_SECONDS: '2',
  TRUSTED_PROXIES: '1',
  PUSH_SERVICES: '127.0.0.1',
}

/** The stacks that test files share. Each starts when a file first asks for it. */
export const PRESETS = {
  standard: { reason: 'more calls with one key than a minute allows', options: { env: LIMITS_LIFTED } },
  limits: { reason: 'the limits of keys and partners as everyone has them', options: { env: EVERYWHERE } },
  quick: { reason: 'mail about what happened, within seconds', options: { env: QUICK } },
  mortal: {
    reason: 'services that are killed and paused',
    options: { env: QUICK, separate: ['auth', 'care-circle', 'inbox', 'pipe'] },
    isLeased: true,
  },
} satisfies Record<string, Preset>

export type PresetName = keyof typeof PRESETS
