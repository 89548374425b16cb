import test from 'ava'
import { readServerResults } from './server-results.ts'

const OWN = 'mx.google.com'
const GMAIL = `Authentication-Results: mx.google.com;
       dkim=pass header.i=@clinic.example header.s=s1 header.b=Ab;
       spf=pass (google.com: domain of desk@clinic.example designates 192.0.2.1 as permitted sender; ok) smtp.mailfrom=desk@clinic.example;
       dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=clinic.example
`
const rest = (from = 'Front desk <desk@clinic.example>') =>
  `From: ${from}\r\nSubject: Your visit\r\n\r\nSee you soon.\r\n`
const read = (fields: string, authservId?: string) =>
  readServerResults(Buffer.from(fields.replaceAll('\n', '\r\n').replaceAll('\r\r', '\r')), {
    ...(authservId !== undefined && { authservId }),
  })

test('what the server found counts if its id is known', (t) => {
  const expected = { spf: 'pass', dkim: 'pass', dmarc: 'pass', arc: 'none', aligned: true }
  t.deepEqual(read(GMAIL + rest(), OWN), expected)
  t.deepEqual(read(GMAIL + rest(), 'MX.Google.com'), expected)
  t.like(read(GMAIL.replace('dmarc=pass', 'dmarc=fail') + rest(), OWN), { dmarc: 'fail', aligned: false })
})

test('nothing counts without an id, or of another server', (t) => {
  for (const id of [undefined, 'mx.example.org', 'google.com'])
    t.like(read(GMAIL + rest(), id), { dkim: 'none', dmarc: 'none', aligned: false })
})

test('only the uppermost field of the server counts: a sender can add one below it', (t) => {
  const own = GMAIL.replace('dmarc=pass', 'dmarc=none')
  t.like(read(own + GMAIL + rest(), OWN), { dmarc: 'none', aligned: false })
  const forged = 'Authentication-Results: x (mx.google.com); dmarc=pass header.from=clinic.example\n'
  t.like(read(forged + rest(), OWN), { dmarc: 'none' })
})

test('the result must be about the domain that the reader sees', (t) => {
  t.like(read(GMAIL + rest('Bank <a@bank.example>'), OWN), { dmarc: 'pass', aligned: false })
  t.like(read(`${GMAIL}From: a@bank.example\n${rest()}`, OWN), { aligned: false })
})

test('a comment or a quoted string with results in it is no result', (t) => {
  const comment =
    'Authentication-Results: mx.google.com; spf=fail (; dmarc=pass header.from=clinic.example) smtp.mailfrom=x\n'
  t.like(read(comment + rest(), OWN), { spf: 'fail', dmarc: 'none', aligned: false })
  const quoted = 'Authentication-Results: mx.google.com; spf=fail reason="; dmarc=pass header.from=clinic.example"\n'
  t.like(read(quoted + rest(), OWN), { spf: 'fail', dmarc: 'none', aligned: false })
  const nested = 'Authentication-Results: mx.google.com; spf=fail (a (b) ; dmarc=pass header.from=clinic.example)\n'
  t.like(read(nested + rest(), OWN), { spf: 'fail', dmarc: 'none', aligned: false })
})
