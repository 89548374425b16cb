import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'

/** What a TLS folder has. A file that cannot be read is empty. */
export type TlsFiles = { cert: Buffer; key: Buffer; ca: Buffer }

const BEGIN = '-----BEGIN CERTIFICATE-----'
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

export function readTlsFiles(dir: string): TlsFiles {
  return { cert: read(dir, 'tls.crt'), key: read(dir, 'tls.key'), ca: read(dir, 'ca.crt') }
}

/**
 * Says why a certificate cannot be used. `createSecureContext` alone accepts half a `ca.crt`, and an EC key beside an RSA certificate.
 * @param needsAuthority whether `ca.crt` counts
 */
export function findTlsFault({ cert, key, ca }: TlsFiles, needsAuthority: boolean): string | undefined {
  const [own] = certificatesIn(cert)
  const privateKey = privateKeyIn(key)
  if (own === undefined) return 'tls.crt is missing, incomplete or not a certificate in PEM'
  if (privateKey === undefined) return 'tls.key is missing, incomplete or not a private key in PEM without a passphrase'
  if (!own.checkPrivateKey(privateKey)) return 'tls.key does not fit tls.crt'
  if (needsAuthority && certificatesIn(ca).length === 0)
    return 'ca.crt is missing, incomplete or not a certificate in PEM'
  try {
    createSecureContext({ cert, key })
    return undefined
  } catch (error) {
    return `OpenSSL refuses tls.crt or tls.key (${(error as NodeJS.ErrnoException).code})`
  }
}

/** When the first certificate ends, in milliseconds since 1970: ours, its chain, and the authority that we check others with. */
export function firstEnd({ cert, ca }: TlsFiles): number {
  return Math.min(...[cert, ca].flatMap(certificatesIn).map(({ validTo }) => Date.parse(validTo)))
}

function read(dir: string, file: string): Buffer {
  try {
    return readFileSync(join(dir, file))
  } catch {
    return Buffer.alloc(0)
  }
}

/** None when one of them is incomplete. */
function certificatesIn(pem: Buffer): X509Certificate[] {
  const text = pem.toString('latin1')
  const blocks = text.match(CERTIFICATE) ?? []
  try {
    return blocks.length === text.split(BEGIN).length - 1 ? blocks.map((block) => new X509Certificate(block)) : []
  } catch {
    return []
  }
}

function privateKeyIn(pem: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}
