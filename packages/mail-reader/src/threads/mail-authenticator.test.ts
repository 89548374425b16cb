import test from 'ava'
import { createMailAuthenticator } from './mail-authenticator.ts'
import { createReaderPool } from './reader-pool.ts'

const mail = () =>
  new Uint8Array(Buffer.from('From: <desk@clinic.example>\r\nSubject: Your visit\r\n\r\nSee you soon.\r\n'))
const OWNER = 'ws_1'
const ENVELOPE = { sender: 'desk@clinic.example', helo: 'mx.clinic.example', peer: '192.0.2.10' }

test('mail is authenticated in a worker thread and DNS is resolved outside it', async (t) => {
  const asked: string[] = []
  await using pool = createReaderPool()
  const authenticator = createMailAuthenticator(pool, async (name, type) => {
    asked.push(`${type} ${name}`)
    if (name === 'clinic.example') return [['v=spf1 ip4:192.0.2.10 -all']]
    throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  })
  const verdicts = await Promise.all([
    authenticator.authenticate(OWNER, mail(), ENVELOPE),
    authenticator.authenticate(OWNER, mail(), { ...ENVELOPE, peer: '::1' }),
  ])
  t.deepEqual(
    verdicts.map(({ spf }) => spf),
    ['pass', 'fail'],
  )
  t.is(asked.filter((question) => question === 'TXT clinic.example').length, 1)
})

test('DNS failures are not cached', async (t) => {
  let works = false
  await using pool = createReaderPool()
  const authenticator = createMailAuthenticator(pool, async (name) => {
    if (works && name === 'clinic.example') return [['v=spf1 ip4:192.0.2.10 -all']]
    throw Object.assign(new Error('out of order'), { code: works ? 'ENOTFOUND' : 'ESERVFAIL' })
  })
  t.is((await authenticator.authenticate(OWNER, mail(), ENVELOPE)).spf, 'temperror')
  works = true
  t.is((await authenticator.authenticate(OWNER, mail(), ENVELOPE)).spf, 'pass')
})

test('with an unresponsive name server, authentication gives up', async (t) => {
  let answers = true
  await using pool = createReaderPool()
  const authenticator = createMailAuthenticator(pool, (name) => {
    if (!answers) return new Promise(() => {})
    return Promise.reject(Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' }))
  })
  t.is((await authenticator.authenticate(OWNER, mail(), { ...ENVELOPE, sender: 'desk@other.example' })).spf, 'none')
  answers = false
  t.is((await authenticator.authenticate(OWNER, mail(), ENVELOPE)).spf, 'temperror')
})

test('mail still being authenticated at shutdown is not decided', async (t) => {
  const pool = createReaderPool()
  const authenticator = createMailAuthenticator(pool, () => new Promise(() => {}))
  const verdict = authenticator.authenticate(OWNER, mail(), ENVELOPE)
  const refused = t.throwsAsync(verdict, { name: 'AbortError' })
  await pool[Symbol.asyncDispose]()
  await refused
})

test('a mail that takes too long to check does not decide about the mail beside it', async (t) => {
  const signature = 'DKIM-Signature: v=1; a=rsa-sha256; d=a.example; s=s; c=relaxed/relaxed; h=from; bh=AAAA; b=AAAA'
  const signatures = Array.from({ length: 8 }, (_, nth) => `${signature}; l=${nth + 1_000_000_000}\r\n`).join('')
  const slow = new Uint8Array(Buffer.from(`${signatures}From: a@a.example\r\n\r\n${'a\n'.repeat(8_000_000)}`))
  const noSuchName = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
  await using pool = createReaderPool(4000)
  const authenticator = createMailAuthenticator(pool, noSuchName)
  await Promise.all(['attacker', OWNER].map((owner) => authenticator.authenticate(owner, mail(), ENVELOPE)))
  const [own, beside] = await Promise.all([
    authenticator.authenticate('attacker', slow, ENVELOPE),
    authenticator.authenticate(OWNER, mail(), ENVELOPE),
  ])
  t.is(own.dkim, 'temperror')
  t.is(beside.spf, 'none')
  t.is((await authenticator.authenticate('attacker', mail(), ENVELOPE)).spf, 'none', 'the next one has a new thread')
})
