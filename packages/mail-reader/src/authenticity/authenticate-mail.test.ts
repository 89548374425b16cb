import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import { dkimSign, sealMessage } from 'mailauth'
import { authenticateMail } from './authenticate-mail.ts'
import type { ResolveDns } from './authenticity.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const KEY = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`
const RECORDS: Record<string, string> = {
  'clinic.example': 'v=spf1 ip4:192.0.2.10 -all',
  's1._domainkey.clinic.example': KEY,
  '_dmarc.clinic.example': 'v=DMARC1; p=reject',
  's1._domainkey.evil.example': KEY,
  's1._domainkey.mail.practice.example': KEY,
  's1._domainkey.practice.co.uk': KEY,
  's1._domainkey.forwarder.example': KEY,
}
const MAIL =
  'From: Front desk <desk@clinic.example>\r\nTo: <k3v9@inbox.example>\r\nSubject: Your visit\r\n\r\nSee you soon.\r\n'
const ENVELOPE = { sender: 'desk@clinic.example', helo: 'mx.clinic.example', peer: '192.0.2.10' }

/** A name server that knows only the clinic's records. */
const resolve: ResolveDns = async (name, type) => {
  const record = type === 'TXT' ? RECORDS[name] : undefined
  if (record === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  return [record.match(/.{1,250}/g)]
}

async function signed(mail = MAIL, signingDomain = 'clinic.example', more: object = {}): Promise<Buffer> {
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const signer = { signingDomain, selector: 's1', privateKey: key, ...more }
  const { signatures } = await dkimSign(mail, { ...signer, signatureData: [signer] })
  return Buffer.from(signatures + mail)
}

test('mail from its claimed sender passes', async (t) => {
  const verdict = await authenticateMail(await signed(), ENVELOPE, resolve)
  t.deepEqual(verdict, { spf: 'pass', dkim: 'pass', dmarc: 'pass', arc: 'none', aligned: true })
})

test('forwarded mail fails SPF but passes with its DKIM signature', async (t) => {
  const verdict = await authenticateMail(await signed(), { ...ENVELOPE, peer: '198.51.100.7' }, resolve)
  t.deepEqual(verdict, { spf: 'fail', dkim: 'pass', dmarc: 'pass', arc: 'none', aligned: true })
})

test('modified mail from an unknown host fails', async (t) => {
  const changed = Buffer.from((await signed()).toString().replace('soon', 'never'))
  const verdict = await authenticateMail(changed, { ...ENVELOPE, peer: '198.51.100.7' }, resolve)
  t.is(verdict.spf, 'fail')
  t.not(verdict.dkim, 'pass')
  t.is(verdict.dmarc, 'fail')
})

test('a bounce has no sender, so SPF checks the host name', async (t) => {
  const verdict = await authenticateMail(
    Buffer.from(MAIL),
    { ...ENVELOPE, sender: '', helo: 'clinic.example' },
    resolve,
  )
  t.is(verdict.spf, 'pass')
  t.is(verdict.dkim, 'none')
})

test('without a name server, every result is a temporary error', async (t) => {
  const down: ResolveDns = async () => {
    throw Object.assign(new Error('timed out'), { code: 'ETIMEOUT' })
  }
  const verdict = await authenticateMail(await signed(), ENVELOPE, down)
  t.deepEqual(verdict, { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror', arc: 'none', aligned: false })
})

/** A host with no SPF record, like an attacker's. */
const ANYWHERE = { sender: 'x@evil.example', helo: 'mx.evil.example', peer: '198.51.100.7' }
const from = (author: string) => MAIL.replace(/^From: .*/, `From: ${author}`)

test('a valid signature from another domain does not verify the sender', async (t) => {
  for (const author of ['desk@clinic.example', 'account@accountprotection.microsoft.com', 'a@practice.co.uk']) {
    const verdict = await authenticateMail(await signed(from(author), 'evil.example'), ANYWHERE, resolve)
    t.like(verdict, { dkim: 'pass', aligned: false }, author)
    t.not(verdict.dmarc, 'pass')
  }
})

test('without a DMARC policy, a signature from the same organization counts, but not one from the same public suffix', async (t) => {
  const same = await authenticateMail(
    await signed(from('a@practice.example'), 'mail.practice.example'),
    ANYWHERE,
    resolve,
  )
  t.like(same, { dkim: 'pass', dmarc: 'none', aligned: true })
  const suffix = await authenticateMail(await signed(from('a@other.co.uk'), 'practice.co.uk'), ANYWHERE, resolve)
  t.like(suffix, { dkim: 'pass', dmarc: 'none', aligned: false })
})

test('a signature of part of the body does not verify appended text', async (t) => {
  const mail = await signed(MAIL, 'clinic.example', { maxBodyLength: 10 })
  const verdict = await authenticateMail(Buffer.concat([mail, Buffer.from('Pay here.\r\n')]), ANYWHERE, resolve)
  t.like(verdict, { dkim: 'pass', aligned: false })
})

test('an ambiguous From is not authentic', async (t) => {
  for (const author of [
    'desk@clinic.example, account@bank.example',
    'account@bank.example\r\nFrom: desk@clinic.example',
    'desk@clinic.example\r\nFrom: account@bank.example',
  ]) {
    const verdict = await authenticateMail(await signed(from(author)), ANYWHERE, resolve)
    t.like(verdict, { dmarc: 'none', aligned: false }, author)
  }
})

test('the first eight signatures are checked, and a ninth one is not', async (t) => {
  const other = 'DKIM-Signature: v=1; a=rsa-sha256; d=other.example; s=s1; h=from; bh=AAAA; b=AAAA\r\n'
  const forwarded = { ...ENVELOPE, peer: '198.51.100.7' }
  const verdictAfter = async (count: number) =>
    (await authenticateMail(Buffer.concat([Buffer.from(other.repeat(count)), await signed()]), forwarded, resolve)).dkim
  t.is(await verdictAfter(7), 'pass')
  t.not(await verdictAfter(8), 'pass')
  const own = Buffer.concat([await signed(), Buffer.alloc(0)])
  const late = Buffer.concat([
    own.subarray(0, own.indexOf('From:')),
    Buffer.from(other.repeat(20)),
    own.subarray(own.indexOf('From:')),
  ])
  t.is((await authenticateMail(late, forwarded, resolve)).dmarc, 'pass', 'other fields stay')
})

async function sealed(mail: Buffer, signingDomain: string, authResults: string): Promise<Buffer> {
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const seal = { signingDomain, selector: 's1', privateKey: key, authResults, cv: 'none' as const }
  return Buffer.concat([await sealMessage(mail, seal), mail])
}

test('of an ARC chain that holds, who sealed it is kept, with what the first of them found', async (t) => {
  const mail = Buffer.from(from('desk@clinic.example'))
  const forged = await sealed(mail, 'evil.example', 'mx.evil.example; dmarc=pass header.from=clinic.example')
  const verdict = await authenticateMail(forged, ANYWHERE, resolve)
  t.like(verdict, { dmarc: 'fail', arc: 'pass', aligned: false, arcSealers: ['evil.example'], arcFirstDmarc: 'pass' })
  const changed = Buffer.from(forged.toString().replace('soon', 'never'))
  t.like(await authenticateMail(changed, ANYWHERE, resolve), { arc: 'fail', arcSealers: undefined })
  const through = await sealed(mail, 'forwarder.example', 'mx.forwarder.example; dmarc=fail')
  t.like(await authenticateMail(through, ANYWHERE, resolve), {
    arcSealers: ['forwarder.example'],
    arcFirstDmarc: 'fail',
  })
})
