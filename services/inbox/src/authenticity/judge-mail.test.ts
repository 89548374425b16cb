import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import { dkimSign } from 'mailauth'
import { judgeMail } from './judge-mail.ts'
import type { ResolveDns } from './resolve-dns.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const RECORDS: Record<string, string> = {
  'clinic.example': 'v=spf1 ip4:192.0.2.10 -all',
  's1._domainkey.clinic.example': `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`,
  '_dmarc.clinic.example': 'v=DMARC1; p=reject',
}
const MAIL =
  'From: Front desk <desk@clinic.example>\r\nTo: <k3v9@inbox.example>\r\nSubject: Your visit\r\n\r\nSee you soon.\r\n'
const ENVELOPE = { sender: 'desk@clinic.example', helo: 'mx.clinic.example', peer: '192.0.2.10' }

/** A name server that knows the clinic. */
const resolve: ResolveDns = async (name, type) => {
  const record = type === 'TXT' ? RECORDS[name] : undefined
  if (record === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  return [record.match(/.{1,250}/g)]
}

async function signed(): Promise<Buffer> {
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const signer = { signingDomain: 'clinic.example', selector: 's1', privateKey: key }
  const { signatures } = await dkimSign(MAIL, { ...signer, signatureData: [signer] })
  return Buffer.from(signatures + MAIL)
}

test('a mail that comes from where it says passes', async (t) => {
  const verdict = await judgeMail(await signed(), ENVELOPE, resolve)
  t.deepEqual(verdict, { spf: 'pass', dkim: 'pass', dmarc: 'pass', arc: 'none' })
})

test('a mail that another host forwards fails SPF and still passes by its signature', async (t) => {
  const verdict = await judgeMail(await signed(), { ...ENVELOPE, peer: '198.51.100.7' }, resolve)
  t.deepEqual(verdict, { spf: 'fail', dkim: 'pass', dmarc: 'pass', arc: 'none' })
})

test('a mail whose text was changed, from a host of nobody’s, fails', async (t) => {
  const changed = Buffer.from((await signed()).toString().replace('soon', 'never'))
  const verdict = await judgeMail(changed, { ...ENVELOPE, peer: '198.51.100.7' }, resolve)
  t.is(verdict.spf, 'fail')
  t.not(verdict.dkim, 'pass')
  t.is(verdict.dmarc, 'fail')
})

test('a bounce, which has no sender, is judged by the host’s name', async (t) => {
  const verdict = await judgeMail(Buffer.from(MAIL), { ...ENVELOPE, sender: '', helo: 'clinic.example' }, resolve)
  t.is(verdict.spf, 'pass')
  t.is(verdict.dkim, 'none')
})

test('without a name server nothing is decided', async (t) => {
  const down: ResolveDns = async () => {
    throw Object.assign(new Error('timed out'), { code: 'ETIMEOUT' })
  }
  const verdict = await judgeMail(await signed(), ENVELOPE, down)
  t.deepEqual(verdict, { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror', arc: 'none' })
})
