import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { register } from 'prom-client'
import { firstEnd } from './tls-files.ts'
import { openTlsFolder } from './tls-folder.ts'

const DAY_MS = 86_400_000
const NONE = Buffer.alloc(0)

const scratch = mkdtempSync(join(tmpdir(), 'family-inbox-certificates-'))
const [early, late, authority] = [createPair(20), createPair(90), createPair(400)]
const rsa = createPair(90, ['rsa', '-pkeyopt', 'rsa_keygen_bits:2048'])
test.after.always(() => rmSync(scratch, { recursive: true }))

test('of a chain and its authority, the certificate that ends first counts', (t) => {
  const end = firstEnd({ ...late, cert: Buffer.concat([late.cert, early.cert]), ca: authority.cert })
  t.is(end, firstEnd({ ...early, ca: NONE }))
  t.true(Math.abs(end - Date.now() - 20 * DAY_MS) < 600_000)
  t.is(end, firstEnd({ ...late, ca: early.cert }))
  t.true(firstEnd({ ...late, ca: authority.cert }) - end > 69 * DAY_MS)
})

test.serial('a renewed certificate is used, and its end is exported', async (t) => {
  const folder = open()
  t.is(await exportedEnd(), firstEnd(folder.tls.current()))
  folder.write('tls.key', late.key)
  folder.write('tls.crt', late.cert)
  folder.tls.look()
  t.deepEqual(folder.tls.current().cert, late.cert)
  t.is(folder.renewals(), 1)
  t.is(await exportedEnd(), firstEnd(folder.tls.current()))
  t.true((await exportedEnd()) - firstEnd({ ...early, ca: NONE }) > 69 * DAY_MS)
  folder.tls.look()
  t.is(folder.renewals(), 1, 'files that have not changed renew nothing')
  t.deepEqual(folder.warnings, [])
})

test('a certificate and its key that are written one after the other alarm nobody', (t) => {
  const folder = open()
  folder.write('tls.key', late.key)
  folder.tls.look()
  t.deepEqual(folder.tls.current().key, early.key)
  folder.write('tls.crt', late.cert)
  folder.tls.look()
  t.deepEqual(folder.tls.current().key, late.key)
  t.deepEqual(folder.warnings, [])
})

test.serial(
  'a certificate that does not fit its key is reported once, and the one before is used until both fit',
  async (t) => {
    const folder = open()
    folder.write('tls.crt', late.cert)
    for (let nth = 0; nth < 4; nth++) folder.tls.look()
    const day = new Date(firstEnd(folder.tls.current())).toISOString().slice(0, 10)
    t.deepEqual(folder.warnings, [
      `GRPC_TLS_DIR: tls.key does not fit tls.crt. The certificate from before stays in use; it ends on ${day}. Correct the files; no restart is needed.`,
    ])
    t.deepEqual(folder.tls.current().cert, early.cert)
    t.is(folder.renewals(), 0)
    t.is(await exportedEnd(), firstEnd({ ...early, ca: NONE }), 'the alarm watches the certificate in use')

    folder.write('tls.crt', Buffer.from('not a certificate'))
    for (let nth = 0; nth < 3; nth++) folder.tls.look()
    t.is(folder.warnings.length, 2, 'another fault is reported, too')
    t.regex(folder.warnings[1] ?? '', /tls\.crt is missing, incomplete or not a certificate/)

    folder.write('tls.crt', late.cert)
    folder.write('tls.key', late.key)
    folder.tls.look()
    t.deepEqual(folder.tls.current().cert, late.cert)
    t.is(await exportedEnd(), firstEnd({ ...late, ca: NONE }))

    folder.write('tls.key', early.key)
    for (let nth = 0; nth < 3; nth++) folder.tls.look()
    t.is(folder.warnings.length, 3, 'so is the same fault when it comes back')
  },
)

test('files that were put back need no renewal', (t) => {
  const folder = open()
  folder.write('tls.crt', late.cert)
  folder.tls.look()
  folder.write('tls.crt', early.cert)
  for (let nth = 0; nth < 3; nth++) folder.tls.look()
  t.is(folder.renewals(), 0)
  t.deepEqual(folder.warnings, [])
})

const half = (pem: Buffer) => pem.subarray(0, pem.length / 2)
const CERTIFICATE = /: tls\.crt is missing, incomplete/
const KEY = /: tls\.key is missing, incomplete/
const AUTHORITY = /: ca\.crt is missing, incomplete/
const FAULTS: [name: string, file: string, content: Buffer | undefined, warning: RegExp][] = [
  ['an empty certificate', 'tls.crt', NONE, CERTIFICATE],
  ['a missing certificate', 'tls.crt', undefined, CERTIFICATE],
  ['half a certificate', 'tls.crt', half(early.cert), CERTIFICATE],
  ['half a chain', 'tls.crt', Buffer.concat([early.cert, half(authority.cert)]), CERTIFICATE],
  ['a key instead of a certificate', 'tls.crt', early.key, CERTIFICATE],
  ['an empty key', 'tls.key', NONE, KEY],
  ['a missing key', 'tls.key', undefined, KEY],
  ['half a key', 'tls.key', half(early.key), KEY],
  ['a key with a passphrase', 'tls.key', withPassphrase(early.key), KEY],
  ['the key of another certificate', 'tls.key', late.key, /: tls\.key does not fit tls\.crt/],
  ['a key of another type', 'tls.key', rsa.key, /: tls\.key does not fit tls\.crt/],
  ['an empty authority', 'ca.crt', NONE, AUTHORITY],
  ['a missing authority', 'ca.crt', undefined, AUTHORITY],
  ['half of two authorities', 'ca.crt', Buffer.concat([authority.cert, half(early.cert)]), AUTHORITY],
]
for (const [name, file, content, warning] of FAULTS)
  test(`${name} is reported by its file, and not used`, (t) => {
    const folder = open()
    const before = folder.tls.current()
    folder.write(file, content)
    folder.tls.look()
    folder.tls.look()
    t.is(folder.warnings.length, 1)
    t.regex(folder.warnings[0] ?? '', warning)
    t.is(folder.tls.current(), before)
    t.is(folder.renewals(), 0)
  })

test('a key that is too weak for OpenSSL is not used', (t) => {
  const weak = createPair(90, ['rsa', '-pkeyopt', 'rsa_keygen_bits:1024'])
  const folder = open()
  folder.write('tls.crt', weak.cert)
  folder.write('tls.key', weak.key)
  folder.tls.look()
  folder.tls.look()
  t.regex(folder.warnings[0] ?? '', /OpenSSL refuses tls\.crt or tls\.key \(ERR_SSL_EE_KEY_TOO_SMALL\)/)
})

test('an authority is renewed alone', (t) => {
  const folder = open()
  const both = Buffer.concat([authority.cert, late.cert])
  folder.write('ca.crt', both)
  folder.tls.look()
  t.deepEqual(folder.tls.current().ca, both)
  t.is(folder.renewals(), 1)
})

test('a folder for browsers or mail servers needs no authority', (t) => {
  const folder = open('SMTP_TLS_DIR')
  folder.write('ca.crt', Buffer.from('not a certificate'))
  folder.write('tls.crt', late.cert)
  folder.write('tls.key', late.key)
  folder.tls.look()
  t.deepEqual(folder.tls.current().cert, late.cert)
  folder.write('ca.crt', undefined)
  folder.tls.look()
  folder.tls.look()
  t.deepEqual(folder.warnings, [])
})

test('a Secret of Kubernetes, swapped by its link, is renewed', (t) => {
  const mount = mkdtempSync(join(scratch, 'mount-'))
  const fill = (version: string, pair: typeof early) => {
    mkdirSync(join(mount, version))
    for (const [name, content] of filesOf(pair)) writeFileSync(join(mount, version, name), content)
    symlinkSync(version, join(mount, '..data_tmp'))
    renameSync(join(mount, '..data_tmp'), join(mount, '..data'))
  }
  fill('..first', early)
  for (const [name] of filesOf(early)) symlinkSync(join('..data', name), join(mount, name))
  const tls = openTlsFolder('GRPC_TLS_DIR', mount, { info() {}, warn: (_, message) => t.fail(message) })
  fill('..second', late)
  rmSync(join(mount, '..first'), { recursive: true })
  tls.look()
  t.deepEqual(tls.current().cert, late.cert)
})

test('a start with a certificate that cannot be used says what to correct', (t) => {
  const start = (file: string, content: Buffer | undefined) => () => open('GRPC_TLS_DIR', [[file, content]])
  t.throws(start('tls.key', late.key), {
    name: 'ConfigError',
    message: 'GRPC_TLS_DIR is wrong: tls.key does not fit tls.crt',
  })
  t.throws(start('ca.crt', undefined), {
    name: 'ConfigError',
    message: 'GRPC_TLS_DIR is wrong: the folder lacks ca.crt',
  })
})

type Changes = [file: string, content: Buffer | undefined][]

function open(setting: Parameters<typeof openTlsFolder>[0] = 'GRPC_TLS_DIR', changes: Changes = []) {
  const dir = mkdtempSync(join(scratch, 'folder-'))
  const write = (file: string, content: Buffer | undefined) =>
    content === undefined ? rmSync(join(dir, file)) : writeFileSync(join(dir, file), content)
  for (const [name, content] of [...filesOf(early), ...changes]) write(name, content)
  const warnings: string[] = []
  const tls = openTlsFolder(setting, dir, { info() {}, warn: (_, message) => void warnings.push(message) })
  let renewals = 0
  tls.onRenewal(() => renewals++)
  return { tls, write, warnings, renewals: () => renewals }
}

function filesOf({ cert, key }: typeof early): [file: string, content: Buffer][] {
  return [
    ['tls.crt', cert],
    ['tls.key', key],
    ['ca.crt', authority.cert],
  ]
}

/** Tests that read it are serial: a process exports one. */
async function exportedEnd(): Promise<number> {
  const page = await register.getSingleMetricAsString('family_inbox_certificate_end_timestamp_seconds')
  return Number(page.match(/setting="GRPC_TLS_DIR"\} (\S+)/)?.[1]) * 1000
}

function createPair(days: number, algorithm = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256']) {
  const [key, cert] = [join(scratch, 'new.key'), join(scratch, 'new.crt')]
  const args = ['-nodes', '-keyout', key, '-out', cert, '-subj', '/CN=test', '-days', `${days}`]
  execFileSync('openssl', ['req', '-x509', '-newkey', ...algorithm, ...args], { stdio: 'ignore' })
  return { cert: readFileSync(cert), key: readFileSync(key) }
}

function withPassphrase(key: Buffer): Buffer {
  return execFileSync('openssl', ['pkcs8', '-topk8', '-passout', 'pass:secret'], { input: key })
}
