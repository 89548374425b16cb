import type { Config } from '../config.ts'

const STRICT_TRANSPORT = { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' }

/** Headers every answer carries. No script, style, frame, font or image comes from anywhere else, and none is inline. */
export function securityHeaders(config: Pick<Config, 'urls'>): Record<string, string> {
  return {
    'Content-Security-Policy': contentSecurityPolicy(APPLICATION_SOURCES),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    // Not no-referrer: browsers then send `Origin: null` with our own forms, too.
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
    ...(config.urls.inbox.startsWith('https:') && STRICT_TRANSPORT),
  }
}

/** Headers of the public site: it has no forms and no cookies, and anybody may read it from anywhere. */
export function publicSecurityHeaders({ urls }: Pick<Config, 'urls'>): Record<string, string> {
  return {
    'Content-Security-Policy': contentSecurityPolicy('', "form-action 'none'; "),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
    ...(urls.base.startsWith('https:') && STRICT_TRANSPORT),
  }
}

/**
 * What differs on pages whose forms lead to another application: Chrome holds `form-action` against every redirect that
 * follows, and would block the way back; and a page that isolates itself can no longer be heard by the window that opened it.
 */
export function externalRedirectHeaders(): Record<string, string> {
  return {
    'Content-Security-Policy': contentSecurityPolicy(APPLICATION_SOURCES, ''),
    'Cross-Origin-Opener-Policy': 'unsafe-none',
  }
}

/** Our own script, which may ask our own addresses only, and frames for mail's own markup, which has a policy of its own. */
const APPLICATION_SOURCES = "script-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; "

function contentSecurityPolicy(sources: string, formAction = "form-action 'self'; "): string {
  return `default-src 'none'; style-src 'self'; img-src 'self'; ${sources}${formAction}frame-ancestors 'none'; base-uri 'none'`
}
