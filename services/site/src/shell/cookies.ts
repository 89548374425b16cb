import { parseCookie, stringifySetCookie } from 'cookie'
import type { Config } from '../config.ts'

const NAMES = {
  session: 'family_session',
  /** Binds a sign-in to the browser that asked for the code. */
  signIn: 'family_sign_in',
  /** The name of a message in `flash.ts`. */
  flash: 'family_flash',
  /** The addresses this browser has signed in to, signed by auth. */
  device: 'family_device',
  /** Binds passkey sign-ins to this browser. */
  passkey: 'family_passkey',
  /** The page to return to after an identity check; see `confirmation.ts`. */
  confirm: 'family_confirm',
  /** The fields that a form carries to the page it leads to; see `carried.ts`. */
  carried: 'family_carried',
}

/** `time-zone.js` writes it, too. */
const TIME_ZONE = 'time_zone'
const TIME_ZONE_SECONDS = 31_536_000

type CookieName = keyof typeof NAMES

export type Cookie = { name: CookieName; value?: string; maxAgeSec?: number } | { name: 'timeZone'; value: string }

/** Our cookies in a request; empty strings for missing ones. */
export type CookieJar = Readonly<Record<CookieName | 'timeZone', string>>

export function readCookies(config: Pick<Config, 'urls'>, header: string | undefined): CookieJar {
  const cookies = parseCookie(header ?? '')
  const read = (name: CookieName) => cookies[cookieName(config, name)] ?? ''
  return {
    session: read('session'),
    signIn: read('signIn'),
    flash: read('flash'),
    device: read('device'),
    passkey: read('passkey'),
    confirm: read('confirm'),
    carried: read('carried'),
    timeZone: cookies[TIME_ZONE] ?? '',
  }
}

/** On https the name starts with `__Host-` (RFC 6265bis section 4.1.3.2), so a sibling host cannot set it. */
export function toSetCookie(config: Pick<Config, 'urls'>, cookie: Cookie): string {
  const shared = { path: '/', sameSite: 'lax', secure: isHttps(config) } as const
  if (cookie.name === 'timeZone')
    return stringifySetCookie({ name: TIME_ZONE, value: cookie.value, maxAge: TIME_ZONE_SECONDS, ...shared })
  const { name, value, maxAgeSec = 0 } = cookie
  return stringifySetCookie({
    name: cookieName(config, name),
    value: value ?? '',
    maxAge: value === undefined ? 0 : maxAgeSec,
    httpOnly: true,
    ...shared,
  })
}

function cookieName(config: Pick<Config, 'urls'>, name: CookieName): string {
  return isHttps(config) ? `__Host-${NAMES[name]}` : NAMES[name]
}

function isHttps({ urls }: Pick<Config, 'urls'>): boolean {
  return urls.inbox.startsWith('https:')
}
