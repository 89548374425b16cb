import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startStack } from '@family-inbox/local-stack/stack'
import test from 'ava'
import { startFamily } from '../_family.ts'
import { readUntil } from '../_wait.ts'
import { canMount, mountSmallDisk } from '../promises/_small-disk.ts'
import { OURS } from '../tls/_certificates.ts'
import { makeTlsFolder } from '../tls/_tls-folder.ts'
import { findPrometheus } from './_prometheus.ts'
import { type Alert, watchStack } from './_running-prometheus.ts'

const found = await findPrometheus()
const lacking = 'lacking' in found ? ` [${found.lacking}]` : ''
const runOrSkip = lacking === '' ? test.serial : test.serial.skip
const mountOrSkip = (await canMount()) ? runOrSkip : test.serial.skip

/** More than the five below which nobody is woken. */
const CALLS = 12

runOrSkip(
  `Prometheus watches a stack: a gateway that hangs, failing calls and a stuck queue ring, and stop${lacking}`,
  async (t) => {
    if ('lacking' in found) return t.fail(found.lacking)
    await using f = await startFamily({ processes: 'seven', env: { SMTP_URL: 'smtp://127.0.0.1:9' } })
    const { stack, family, call } = f
    await using prometheus = await watchStack(found.prometheus, stack)
    const { ringing, query } = prometheus
    const callOften = () => Promise.all(Array.from({ length: CALLS }, () => call(family.keys.owner, 'list_loved_ones')))

    const levels = await readUntil(
      async () => {
        await callOften()
        return query('family_inbox:slo_errors:ratio_rate5m{slo=~"tool-calls-.*"}')
      },
      (ratios) => ratios.length === 2,
    )
    t.true(levels.every((failed) => failed < 1))
    t.deepEqual(await ringing(), [])

    await stack.pause('gateway')
    t.truthy(await readUntil(ringing, rings({ alertname: 'ServiceIsGone', service: 'gateway', severity: 'page' })))
    stack.resume('gateway')
    await readUntil(ringing, isSilent('ServiceIsGone'))

    await stack.pause('auth')
    await callOften()
    t.truthy(await readUntil(ringing, rings({ alertname: 'ToolCallsFail', severity: 'page' })))
    stack.resume('auth')
    await stack.waitReady()
    await readUntil(async () => {
      await callOften()
      return ringing()
    }, isSilent('ToolCallsFail'))

    for (const nth of [1, 2, 3]) {
      const invited = await call(family.keys.owner, 'invite_family_member', {
        email: `cousin${nth}@example.com`,
        role: 'viewer',
      })
      t.falsy(invited.json.error)
    }
    t.truthy(await readUntil(ringing, rings({ alertname: 'MailIsNotSent', severity: 'page' })))
  },
)

const DISK_MB = 600
/** Less than the 5% of the alarm, and enough for a mongod that has little to do. */
const LEFT_MB = 24

mountOrSkip(
  `Prometheus watches a stack: a certificate that ends tomorrow and an almost full disk ring, and stop (needs mount)${lacking}`,
  async (t) => {
    if ('lacking' in found) return t.fail(found.lacking)
    await using cleanUp = new AsyncDisposableStack()
    const dataDir = await mkdtemp(join(tmpdir(), 'family-inbox-alarms-'))
    cleanUp.defer(() => rm(dataDir, { recursive: true }))
    const disk = cleanUp.use(await mountSmallDisk(join(dataDir, 'mongod'), DISK_MB))
    const tls = cleanUp.use(await makeTlsFolder(await endsTomorrow(), OURS.authority))
    const stack = cleanUp.use(await startStack({ dataDir, ownMongod: true, env: { SMTP_TLS_DIR: tls.dir } }))
    const { ringing } = cleanUp.use(await watchStack(found.prometheus, stack))

    t.truthy(await readUntil(ringing, rings({ alertname: 'CertificateEndsNow', severity: 'page' })))
    await tls.write(OURS.first)
    await readUntil(ringing, isSilent('CertificateEndsNow'))

    await disk.fill(LEFT_MB)
    t.truthy(await readUntil(ringing, rings({ alertname: 'DiskIsAlmostFull', severity: 'page' })))
    await disk.free()
    await readUntil(ringing, isSilent('DiskIsAlmostFull'))
  },
)

async function endsTomorrow() {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-certificate-'))
  const [key, certificate] = [join(dir, 'tls.key'), join(dir, 'tls.crt')]
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', certificate]
  try {
    await promisify(execFile)('openssl', ['req', '-x509', '-days', '1', '-subj', '/CN=localhost', ...made])
    return { certificate: await readFile(certificate, 'utf8'), key: await readFile(key, 'utf8') }
  } finally {
    await rm(dir, { recursive: true })
  }
}

function rings(wanted: Partial<Alert['labels']>) {
  return (alerts: Alert['labels'][]) =>
    alerts.some((labels) => Object.entries(wanted).every(([name, value]) => labels[name] === value))
}

function isSilent(alertname: string) {
  return (alerts: Alert['labels'][]) => alerts.every((labels) => labels.alertname !== alertname)
}
