import type { Config } from '../config.ts'

/** The three public addresses, each with its own pages and endpoints. */
export type Surface = keyof Config['urls']

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i

/**
 * Which of the three addresses a request is for. The Host header must be one of theirs (RFC 9110 section 7.2); when the
 * gateway runs on one's own machine, any loopback name does and the port decides.
 * @returns undefined for a Host that is not ours, which is how DNS rebinding looks
 */
export function surfaceOf(
  urls: Config['urls'],
  host: string | undefined,
  localPort: number | undefined,
): Surface | undefined {
  const named = SURFACES.find((surface) => new URL(urls[surface]).host === host?.toLowerCase())
  if (named !== undefined || host === undefined || !LOOPBACK.test(host)) return named
  return SURFACES.find((surface) => isLoopbackUrl(urls[surface]) && portOf(urls[surface]) === localPort)
}

/** The port of an address, its scheme's own when it names none. */
export function portOf(url: string): number {
  const { port, protocol } = new URL(url)
  return port === '' ? ({ 'http:': 80, 'https:': 443 }[protocol] ?? 443) : Number(port)
}

const SURFACES: Surface[] = ['base', 'api', 'inbox']

function isLoopbackUrl(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname)
}
