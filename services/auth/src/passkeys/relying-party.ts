import { isIP } from 'node:net'
import type { Config } from '../config.ts'

export const PRODUCT = 'Family Care Inbox'

/** Who passkeys are made for: the application's configured address, whatever a request calls us (WebAuthn section 5.1.2). */
export function relyingParty({ urls }: Pick<Config, 'urls'>): { id: string; origin: string } {
  const { hostname, origin } = new URL(urls.inbox)
  return { id: hostname, origin }
}

/** Whether browsers make passkeys for this address: only for a domain, and only over https or on one's own machine. */
export function hasPasskeys({ urls }: Pick<Config, 'urls'>): boolean {
  const { hostname, protocol } = new URL(urls.inbox)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  return isIP(hostname) === 0 && !hostname.startsWith('[') && (protocol === 'https:' || isLocal)
}
