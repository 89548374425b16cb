/** The pages a sign-in may lead back to. Everything else, other sites above all, is no place to be sent to. */
const PLACES = [
  /^\/$/,
  /^\/(inbox|timeline|care-circle|settings|connect|forwarding)(\/[\w-]{1,128}){0,3}$/,
  /^\/consent\/[\w-]{1,128}$/,
  /^\/invitation\/[\w-]{1,256}$/,
  /^\/onboarding(\/[\w-]{1,128})?$/,
]

/**
 * Where to go afterwards: one of our own pages, given as a path without query, or the first page.
 * The list is what makes an open redirect impossible: no host, scheme, backslash, dot segment or percent sign passes it.
 */
export function safeReturnTo(path: string): string {
  return PLACES.some((place) => place.test(path)) ? path : '/'
}

/** Where somebody signs in once more although they are signed in, and goes on from there. */
export function signInAgain(returnTo: string): string {
  return `/sign-in?again=1&return_to=${encodeURIComponent(returnTo)}`
}

/** The address of a page that leads back to another one; the first page need not be said. */
export function withReturnTo(page: string, returnTo: string): string {
  return returnTo === '/' ? page : `${page}?return_to=${encodeURIComponent(returnTo)}`
}
