import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gauges } from './metrics.ts'

const watchEnd = gauges({
  name: 'certificate_end_timestamp_seconds',
  help: 'When the first certificate of a TLS folder ends, in seconds since 1970.',
  label: 'setting',
})

/** Exports when a folder's certificates end: ours, its chain, and the authority that we check others with. @param dir has `tls.crt` */
export function exportCertificateEnd(setting: string, dir: string): void {
  watchEnd(setting, async () => {
    const files = await Promise.all(
      ['tls.crt', 'ca.crt'].map((name) => readFile(join(dir, name), 'utf8').catch(() => '')),
    )
    return firstEnd(files.join('\n'))
  })
}

/** In seconds since 1970. @param pem certificates, and perhaps other blocks */
export function firstEnd(pem: string): number {
  const ends = [...pem.matchAll(CERTIFICATE)].map(([block]) => Date.parse(new X509Certificate(block).validTo))
  if (ends.length === 0) throw new Error('There is no certificate.')
  return Math.min(...ends) / 1000
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
