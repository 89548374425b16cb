import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { register } from 'prom-client'
import { exportCertificateEnd, firstEnd } from './certificate-metrics.ts'

const DAY_SEC = 86_400

test('of a chain, the certificate that ends first counts', async (t) => {
  const [soon, late] = [createCertificate(20), createCertificate(90)]
  const end = firstEnd(late + soon)
  t.is(end, firstEnd(soon))
  t.true(Math.abs(end - Date.now() / 1000 - 20 * DAY_SEC) < 600)
  t.true(firstEnd(late) - end > 69 * DAY_SEC)
})

test('the end of a renewed certificate is exported, and none where there is no folder', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'family-inbox-certificate-'))
  exportCertificateEnd('TEST_TLS_DIR', dir)
  const page = () => register.getSingleMetricAsString('family_inbox_certificate_end_timestamp_seconds')
  t.notRegex(await page(), /TEST_TLS_DIR/)
  for (const days of [2, 40]) {
    createCertificate(days, join(dir, 'tls.crt'))
    const [, value] = (await page()).match(/setting="TEST_TLS_DIR"\} (\S+)/) ?? []
    t.is(Number(value), firstEnd(readFileSync(join(dir, 'tls.crt'), 'utf8')))
  }
})

function createCertificate(days: number, file?: string): string {
  const args = ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-keyout', '/dev/null', '-subj', '/CN=test']
  const pem = execFileSync('openssl', [...args, '-days', `${days}`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (file !== undefined) writeFileSync(file, pem)
  return pem
}
