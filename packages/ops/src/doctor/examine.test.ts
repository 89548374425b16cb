import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { DAY_MS, HOUR_MS } from '@family-inbox/service-kit/time/days'
import { dkimRecord } from '@family-inbox/workspace-kit/dkim'
import test from 'ava'
import { examine } from './examine.ts'
import { readSetUp } from './set-up.ts'
import type { World } from './world.ts'

const NOW = new Date('2026-11-27T08:00:00Z')
const ENV = {
  BASE_URL: 'https://family.example',
  API_URL: 'https://api.family.example',
  INBOX_URL: 'https://inbox.family.example',
  MAIL_DOMAIN: 'in.family.example',
  FAMILY_INBOX_SENDER_ADDRESS: 'care@family.example',
  SMTP_URL: 'smtps://care%40family.example:secret@smtp.provider.example',
  DKIM_SELECTOR: 'inbox',
  SIGN_UP: 'invited',
  BACKUP_COPY_COMMAND: 'rclone copy "$1" elsewhere:backups',
}

const [KEY, OTHER] = [newKey(), newKey()]
const DKIM = 'inbox._domainkey.family.example'

function newKey(): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
}

const record = (key: KeyObject) => dkimRecord({ selector: 'inbox', domain: 'family.example', key }).value

const WAITING = { status: 503, text: '{"status":"waiting","waitingFor":["auth","inbox"]}' }

const METRICS = 'http://127.0.0.1:9/metrics'

const metrics = (changed: Record<string, number> = {}) => {
  const names = ['mail_queue', 'care_events'].flatMap((queue) => [`${queue}_waiting`, `${queue}_oldest_seconds`])
  const values = { ...Object.fromEntries([...names, 'stopped_recipients'].map((name) => [name, 0])), ...changed }
  return Object.entries(values)
    .map(([name, value]) => `# HELP family_inbox_${name} Something.\nfamily_inbox_${name} ${value}\n`)
    .join('')
}

const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * HOUR_MS).toISOString()
const BACKUPS = { madeAt: hoursAgo(5), triedAt: hoursAgo(300), keyShownAt: hoursAgo(9000) }
const { keyShownAt: _shown, ...unprinted } = BACKUPS
const BUCKET = { BACKUP_S3_BUCKET: 'family-backups' }

/** The DNS, the servers and the disk of a family whose installation is right. */
type Outside = {
  addresses: Record<string, string[]>
  exchangers: string[]
  texts: Record<string, string[]>
  validTo: Date
  refusal?: string
  ready: { status: number; text: string } | Error
  greeting: string | Error
  signIn?: Error
  ahead: number | Error
  free: number
  readable: string[]
  dkimKey: KeyObject | undefined
  backups: Record<string, string>
  dns?: Error
  metrics: string
  switches: { name: string; value: string }[]
  versions: { installed: string; node: string }
}

function healthy(): Outside {
  return {
    addresses: {
      'family.example': ['93.184.216.34'],
      'api.family.example': ['93.184.216.34'],
      'inbox.family.example': ['93.184.216.34'],
      'mx.family.example': ['93.184.216.34'],
    },
    exchangers: ['mx.family.example'],
    texts: {
      'family.example': ['v=spf1 include:spf.provider.example -all', 'some-site-verification=1'],
      [DKIM]: [record(KEY)],
      '_dmarc.family.example': ['v=DMARC1; p=quarantine; rua=mailto:d@family.example'],
    },
    validTo: new Date(NOW.getTime() + 60 * DAY_MS),
    ready: { status: 200, text: 'ok' },
    greeting: '220 in.family.example ESMTP',
    ahead: 120,
    free: 100 * 1024 ** 3,
    readable: [],
    dkimKey: KEY,
    backups: BACKUPS,
    metrics: metrics(),
    switches: [{ name: 'sandbox', value: 'on' }],
    versions: { installed: '0.3.0', node: '24.21.0' },
  }
}

function orThrow<T>(value: T | Error): T {
  if (value instanceof Error) throw value
  return value
}

function worldOf(outside: Outside): World {
  const { validTo, refusal } = outside
  const dns = <T>(value: T) => (outside.dns ? Promise.reject(outside.dns) : Promise.resolve(value))
  return {
    now: () => NOW,
    mailExchangers: () => dns(outside.exchangers),
    texts: (name) => dns(outside.texts[name] ?? []),
    addresses: (name) => dns(outside.addresses[name] ?? []),
    certificate: async () => ({ validTo, ...(refusal !== undefined && { refusal }) }),
    async get(url) {
      if (url === METRICS) return { status: 200, text: outside.metrics }
      return url.endsWith('/readyz') ? orThrow(outside.ready) : { status: 404, text: '' }
    },
    greeting: async () => orThrow(outside.greeting),
    async signIn() {
      if (outside.signIn) throw outside.signIn
    },
    clockAhead: async () => orThrow(outside.ahead),
    freeBytes: async () => outside.free,
    async readText(file) {
      if (file.endsWith('stack.json'))
        return JSON.stringify({ version: '0.3.0', metricsUrls: { auth: METRICS, inbox: METRICS } })
      if (!file.endsWith('DKIM_KEY.json')) return JSON.stringify(outside.backups)
      return JSON.stringify(outside.dkimKey?.export({ type: 'pkcs8', format: 'pem' }) ?? null)
    },
    switches: async () => outside.switches,
    versions: () => outside.versions,
    readableByOthers: async () => outside.readable,
  }
}

type Env = Record<string, string | undefined>

/** Everything that is not right in an otherwise healthy installation. */
async function unwell(broken: Partial<Outside>, env: Env = {}) {
  const findings = await examine(readSetUp({ ...ENV, ...env }), worldOf({ ...healthy(), ...broken }))
  return findings.filter(({ state }) => state === 'problem' || state === 'warning')
}

const addresses = (name: string, found: string[]) => ({ addresses: { ...healthy().addresses, [name]: found } })
const texts = (name: string, ...found: string[]) => ({ texts: { ...healthy().texts, [name]: found } })
const ends = (days: number) => ({ validTo: new Date(NOW.getTime() + days * DAY_MS) })
const BY_NAME = { SMTP_URL: undefined, SMTP_PROVIDER: 'iCloud', SMTP_USER: 'ana@family.example', SMTP_PASSWORD: 'x' }
const login = Object.assign(new Error('Invalid login'), { code: 'EAUTH' })
const SPF = 'family.example'
const DMARC = '_dmarc.family.example'

/** What is broken, and what the doctor says first and tells to do. */
const CASES: [string, Partial<Outside>, string, Env?][] = [
  ['an address is not in DNS', addresses('api.family.example', []), 'problem API_URL in DNS: Add an A'],
  ['an address is private', addresses('api.family.example', ['192.168.1.5']), 'warning API_URL in DNS: Name'],
  ['an address has no TLS', {}, 'problem API_URL with TLS: Put a proxy', { API_URL: 'http://api.family.example' }],
  ['a certificate has ended', ends(-1), 'problem BASE_URL with TLS: Look at the log'],
  ['a certificate ends soon', ends(3), 'warning BASE_URL with TLS: Look at the log'],
  ['a certificate is refused', { refusal: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'problem BASE_URL with TLS: Get one'],
  ['nothing answers', { ready: new Error('ECONNREFUSED') }, 'problem services: Run npm start'],
  ['a service is not ready', { ready: WAITING }, 'problem services: Look at the logs'],
  ['something else answers', { ready: { status: 404, text: '' } }, 'problem services: Something else'],
  ['the MX is missing', { exchangers: [] }, 'problem MX: Add "in.family.example. MX 10'],
  ['the MX has no address', addresses('mx.family.example', []), 'problem MX: Add an A'],
  ['the MX is elsewhere', addresses('mx.family.example', ['93.184.216.99']), 'warning MX: That is right if'],
  ['port 25 is closed', { greeting: new Error('no answer') }, 'problem port 25: Open port 25'],
  ['mail is refused', { greeting: '554 no' }, 'problem port 25: Look at the log'],
  ['another mail server answers', { greeting: '220 mail.other.example' }, 'warning port 25: That is right if'],
  ['the mail domain is made up', {}, 'problem mail in: Set MAIL_DOMAIN', { MAIL_DOMAIN: 'family-inbox.test' }],
  ['a mail policy is missing', texts('_mta-sts.in.family.example', 'v=STSv1; id=1'), 'problem MTA-STS: Publish'],
  ['no mail server is set', {}, 'problem mail out: Set SMTP_PROVIDER', { SMTP_URL: undefined }],
  ['a password is wrong', { signIn: login }, 'problem mail server: Check the user name'],
  ['an app password is missing', { signIn: login }, 'problem mail server: Check SMTP_USER and SMTP_PASSWORD', BY_NAME],
  ['the mail server is away', { signIn: new Error('ETIMEDOUT') }, 'problem mail server: Check host and port'],
  ['a password goes in the clear', {}, 'warning mail server, encrypted: Use', { SMTP_URL: 'smtp://me:x@a.example:25' }],
  [
    'the sender is made up',
    {},
    'problem sender: Set FAMILY',
    { FAMILY_INBOX_SENDER_ADDRESS: 'care@family-inbox.test' },
  ],
  ['SPF is missing', texts(SPF), 'problem SPF: Add the SPF record'],
  ['there are two SPF records', texts(SPF, 'v=spf1 mx -all', 'v=spf1 a -all'), 'problem SPF: Join them'],
  ['SPF lets everybody send', texts(SPF, 'v=spf1 mx all'), 'problem SPF: End the SPF'],
  ['SPF lets nobody send', texts(SPF, 'v=spf1 -all'), 'problem SPF: Add the SPF record'],
  ['DMARC is missing', texts(DMARC), 'warning DMARC: Add a TXT'],
  ['DMARC has no policy', texts(DMARC, 'v=DMARC1; p=maybe'), 'problem DMARC: Add a TXT'],
  ['DMARC asks for nothing', texts(DMARC, 'v=DMARC1; p=none'), 'warning DMARC: Change it'],
  [
    'the key of mail is missing in DNS',
    texts(DKIM),
    `problem DKIM: Add a TXT record for ${DKIM}: v=DKIM1; k=rsa; p=MI`,
  ],
  ['another key is in DNS', texts(DKIM, record(OTHER)), `problem DKIM: Replace it. Add a TXT record for ${DKIM}`],
  ['the key in DNS was revoked', texts(DKIM, 'v=DKIM1; p='), 'problem DKIM: Replace it.'],
  ['two keys are in DNS', texts(DKIM, record(KEY), record(OTHER)), 'problem DKIM: Keep one.'],
  ['the key of mail is lost', { dkimKey: undefined }, 'problem DKIM: Start the services'],
  ['the disk is full', { free: 100 }, 'problem disk: Make space now'],
  ['the disk is nearly full', { free: 2 * 1024 ** 3 }, 'warning disk: Make space soon'],
  ['others can read the secrets', { readable: ['mongod-key.json'] }, 'problem secrets: Run: chmod'],
  ['the clock is slow', { ahead: -90_000 }, 'problem clock: Turn on time'],
  ['no backup was made', { backups: { keyShownAt: hoursAgo(1) } }, 'problem backup: Run: npm run -s backup'],
  ['the last night had no backup', { backups: { ...BACKUPS, madeAt: hoursAgo(30) } }, 'problem backup: Run: npm run'],
  ['a backup fails', { backups: { ...BACKUPS, failure: 'no space left' } }, 'problem backup: Run: npm run -s backup'],
  ['a backup can’t be restored', { backups: { ...BACKUPS, tryFailure: '3 of 4' } }, 'problem restore: Run: npm run'],
  ['no backup was tried for long', { backups: { ...BACKUPS, triedAt: hoursAgo(1500) } }, 'warning restore: Run: npm'],
  ['a backup is not copied', { backups: { ...BACKUPS, copyFailure: '403' } }, 'problem backup copy: Try the BACKUP'],
  [
    'a bucket gets no backup',
    { backups: { ...BACKUPS, bucketFailure: 'full' } },
    'problem backup in the bucket: Run',
    BUCKET,
  ],
  [
    'a bucket’s backup is old',
    { backups: { ...BACKUPS, storedAt: hoursAgo(30) } },
    'problem backup in the bucket',
    BUCKET,
  ],
  ['a bucket never got one', {}, 'problem backup in the bucket: Run: npm run', BUCKET],
  [
    'a bucket keeps destroyed keys',
    { backups: { ...BACKUPS, storedAt: hoursAgo(5), bucketKeepsVersions: 'true' } },
    'warning versions in the bucket: Turn versioning off',
    BUCKET,
  ],
  [
    'slices have a gap',
    { backups: { ...BACKUPS, oplogFailure: 'a gap' } },
    'problem slices of the oplog: Run: npm run',
  ],
  ['no slice was written', { backups: { ...BACKUPS, slicedTo: hoursAgo(2) } }, 'problem slices of the oplog: Start it'],
  ['backups are only here', {}, 'warning backup copy: Set BACKUP_COPY', { BACKUP_COPY_COMMAND: undefined }],
  [
    'mail waits for long',
    { metrics: metrics({ mail_queue_waiting: 3, mail_queue_oldest_seconds: 7200 }) },
    'problem outgoing mail: Look at what',
  ],
  [
    'events wait for long',
    { metrics: metrics({ care_events_waiting: 1, care_events_oldest_seconds: 4000.5 }) },
    'problem agencies’ events: Look at the logs',
  ],
  [
    'recipients refuse mail',
    { metrics: metrics({ stopped_recipients: 2 }) },
    'warning stopped recipients: The message',
  ],
  ['everyone may join since a switch', { switches: [{ name: 'signUp', value: 'open' }] }, 'warning sign-up: Switch it'],
  ['another version is installed', { versions: { installed: '0.4.0', node: '24.0.0' } }, 'warning versions: Restart'],
  ['Node.js is too old', { versions: { installed: '0.3.0', node: '18.20.1' } }, 'warning versions: Update Node.js'],
  ['nobody has the key of backups', { backups: unprinted }, 'warning backup key: Run: npm run -s backup -- key'],
  ['sign-up is open', {}, 'warning sign-up: Set SIGN_UP=invited', { SIGN_UP: 'open' }],
]

test('an installation that is right has no problem and no warning', async (t) => {
  t.deepEqual(await unwell({}), [])
})

for (const [what, broken, expected, env] of CASES)
  test(`the doctor finds that ${what}, and says what to do`, async (t) => {
    const [first] = await unwell(broken, env)
    t.true(`${first?.state} ${first?.check}: ${first?.todo}`.startsWith(expected), JSON.stringify(first))
  })

test('the doctor names the services that are not ready', async (t) => {
  const [first] = await unwell({ ready: WAITING })
  t.is(first?.says, 'Not all services are ready: auth, inbox.')
})

test('one broken part is one finding', async (t) => {
  for (const [what, broken, , env] of CASES) {
    // One certificate is that of all three addresses here.
    if (what.includes('certificate')) continue
    t.is((await unwell(broken, env)).length, 1, what)
  }
})

test('a key that a DNS provider wrote with other spaces and in another order is the same', async (t) => {
  const spaced = `k=rsa; p=${record(KEY)
    .split('p=')[1]
    ?.replace(/(.{64})/g, '$1 ')}; v=DKIM1`
  t.deepEqual(await unwell(texts(DKIM, spaced)), [])
})

test('without a selector of our own, the provider signs', async (t) => {
  t.deepEqual(await unwell({ ...texts(DKIM), dkimKey: undefined }, { DKIM_SELECTOR: undefined }), [])
})

test('behind the plus of a mailbox elsewhere, no MX record of ours is asked for', async (t) => {
  const elsewhere = { exchangers: ['mx.provider.example'], greeting: '220 mx.provider.example' }
  t.deepEqual(await unwell(elsewhere, { MAIL_MAILBOX: 'family', MAIL_DOMAIN: 'provider.example' }), [])
})

const INSIDE = ['outgoing mail', 'agencies’ events', 'stopped recipients', 'versions']

test('on one machine without others, only the machine itself is checked', async (t) => {
  const findings = await examine(readSetUp({}), worldOf({ ...healthy(), dns: new Error('no DNS') }))
  t.deepEqual(
    findings.filter(({ state }) => state === 'ok').map(({ check }) => check),
    ['services', 'disk', 'secrets', 'clock', 'sign-up', ...INSIDE],
  )
  t.false(findings.some(({ state }) => state === 'problem' || state === 'warning'))
})

test('without an answer from DNS nothing is called broken', async (t) => {
  const outside = { ...healthy(), dns: new Error('queryMx ETIMEOUT') }
  const findings = await examine(readSetUp(ENV), worldOf(outside))
  t.false(findings.some(({ state }) => state === 'problem'))
  t.true(findings.some(({ state, says }) => state === 'skipped' && says.includes('ETIMEOUT')))
})
