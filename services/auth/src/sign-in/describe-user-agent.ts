const BROWSERS: [name: string, sign: RegExp][] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|Chromium)\//],
  ['Safari', /\bSafari\//],
]

const SYSTEMS: [name: string, sign: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['Chrome OS', /\bCrOS\b/],
  ['Mac', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
]

/** Shortens a User-Agent to words people know. The header itself is not kept: it identifies devices too well. */
export function describeUserAgent(userAgent: string): string {
  const browser = nameOf(BROWSERS, userAgent) ?? 'A browser'
  const system = nameOf(SYSTEMS, userAgent)
  return system === undefined ? browser : `${browser} on ${system}`
}

function nameOf(known: [name: string, sign: RegExp][], userAgent: string): string | undefined {
  return known.find(([, sign]) => sign.test(userAgent))?.[0]
}
