import type { Authenticity } from '@family-inbox/mail-reader/authenticity/authenticity'

/**
 * Services that may have changed a mail on its way. A seal proves only who sealed (RFC 8617 section 9.3), and anyone can seal, so
 * only these count: their users forward mail, and they check it first. KNOWN_FORWARDERS adds more.
 */
const KNOWN: Record<string, string> = {
  'google.com': 'Gmail and Google Workspace',
  'googlegroups.com': 'Google Groups',
  'microsoft.com': 'Outlook.com and Microsoft 365',
  'messagingengine.com': 'Fastmail',
  'pobox.com': 'Pobox, of Fastmail',
  'icloud.com': 'iCloud Mail',
  'zohomail.com': 'Zoho Mail',
  'proton.me': 'Proton Mail',
  'protonmail.com': 'Proton Mail',
  'forwardemail.net': 'Forward Email',
  'simplelogin.co': 'SimpleLogin, of Proton',
}

/**
 * The last forwarder, if all who sealed are known and the first of them did not refuse the mail either: a forged mail that is
 * sent through a known forwarder is still forged.
 */
export function knownForwarder(
  { arc, arcSealers = [], arcFirstDmarc }: Pick<Authenticity, 'arc' | 'arcSealers' | 'arcFirstDmarc'>,
  more: readonly string[],
): string | undefined {
  if (arc !== 'pass' || arcFirstDmarc === 'fail') return undefined
  return arcSealers.every((domain) => Object.hasOwn(KNOWN, domain) || more.includes(domain))
    ? arcSealers.at(-1)
    : undefined
}
