import { parseCookie, stringifySetCookie } from 'cookie'
import type { Config } from '../config.ts'

/**
 * `session`: who is signed in. `signIn`: the browser that asked for a code, until the code is entered. `notice`: what the
 * next page says about a deed, by its name in `notices.ts`. `device`: which addresses this browser has signed in to, signed by
 * auth. `passkey`: binds passkey sign-ins to this browser. `confirm`: what a person was about to do when they were asked to
 * confirm that it is them.
 */
export type CookieName = 'session' | 'signIn' | 'notice' | 'device' | 'passkey' | 'confirm'

/** A cookie to set; no value takes it away. */
export type Cookie = { name: CookieName; value?: string; maxAgeSec?: number }

/** The cookies of ours that came; `timeZone` is set by our script, and tells nothing that a clock on the wall would not. */
export type CookieJar = Readonly<Record<CookieName | 'timeZone', string>>

const NAMES: Record<CookieName, string> = {
  session: 'family_session',
  signIn: 'family_sign_in',
  notice: 'family_notice',
  device: 'family_device',
  passkey: 'family_passkey',
  confirm: 'family_confirm',
}

/** Written by shell/time-zone.js. */
const TIME_ZONE = 'time_zone'

/** The cookies of ours that came; empty where there is none. */
export function readCookies(config: Pick<Config, 'urls'>, header: string | undefined): CookieJar {
  const cookies = parseCookie(header ?? '')
  const read = (name: CookieName) => cookies[cookieName(config, name)] ?? ''
  return {
    session: read('session'),
    signIn: read('signIn'),
    notice: read('notice'),
    device: read('device'),
    passkey: read('passkey'),
    confirm: read('confirm'),
    timeZone: cookies[TIME_ZONE] ?? '',
  }
}

/**
 * The Set-Cookie value of a cookie: out of reach of scripts, and not sent by other sites' forms (SameSite=Lax). On https it
 * is `__Host-` (RFC 6265bis section 4.1.3.2), so that no sibling host can plant one; on http, one's own machine, plain.
 */
export function toSetCookie(config: Pick<Config, 'urls'>, { name, value, maxAgeSec = 0 }: Cookie): string {
  return stringifySetCookie({
    name: cookieName(config, name),
    value: value ?? '',
    maxAge: value === undefined ? 0 : maxAgeSec,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isHttps(config),
  })
}

function cookieName(config: Pick<Config, 'urls'>, name: CookieName): string {
  return isHttps(config) ? `__Host-${NAMES[name]}` : NAMES[name]
}

function isHttps({ urls }: Pick<Config, 'urls'>): boolean {
  return urls.inbox.startsWith('https:')
}
