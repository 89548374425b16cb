import type { Config } from '../config.ts'

const STRICT_TRANSPORT = { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' }
/** Frames show the HTML of messages, which has its own policy. */
const APPLICATION_SOURCES = "script-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; "

/** Headers of every application response. Nothing is inline or loaded from another origin. */
export function securityHeaders(config: Pick<Config, 'urls'>): Record<string, string> {
  return {
    'Content-Security-Policy': contentSecurityPolicy(APPLICATION_SOURCES),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    // Under no-referrer, browsers would send `Origin: null` with our own forms.
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
    ...(config.urls.inbox.startsWith('https:') && STRICT_TRANSPORT),
  }
}

/** Headers of the public site, which has no forms and no cookies, and one script: for Copy. */
export function publicSecurityHeaders({ urls }: Pick<Config, 'urls'>): Record<string, string> {
  return {
    'Content-Security-Policy': contentSecurityPolicy("script-src 'self'; ", "form-action 'none'; "),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
    ...(urls.base.startsWith('https:') && STRICT_TRANSPORT),
  }
}

/** Overrides for pages that may redirect to another application; see `Page.allowsExternalRedirects`. */
export function externalRedirectHeaders(): Record<string, string> {
  return {
    'Content-Security-Policy': contentSecurityPolicy(APPLICATION_SOURCES, ''),
    'Cross-Origin-Opener-Policy': 'unsafe-none',
  }
}

function contentSecurityPolicy(sources: string, formAction = "form-action 'self'; "): string {
  return `default-src 'none'; style-src 'self'; img-src 'self'; ${sources}${formAction}frame-ancestors 'none'; base-uri 'none'`
}
