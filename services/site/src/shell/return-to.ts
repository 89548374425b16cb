const ALLOWED = [
  /^\/$/,
  /^\/(inbox|appointments|approvals|timeline|care-circle|to-dos|emergency-sheets|settings|connect|forwarding)(\/[\w-]{1,128}){0,3}$/,
  /^\/consent\/[\w-]{1,128}$/,
  /^\/invitation\/[\w-]{1,256}$/,
  /^\/operator$/,
  /^\/onboarding(\/[\w-]{1,128})?$/,
]

/** Returns the path if a sign-in may lead back to it, otherwise `/`. The allowlist prevents open redirects. */
export function safeReturnTo(path: string): string {
  return ALLOWED.some((pattern) => pattern.test(path)) ? path : '/'
}

export function signInAgain(returnTo: string): string {
  return `/sign-in?again=1&return_to=${encodeURIComponent(returnTo)}`
}

export function withReturnTo(page: string, returnTo: string): string {
  return returnTo === '/' ? page : `${page}?return_to=${encodeURIComponent(returnTo)}`
}
