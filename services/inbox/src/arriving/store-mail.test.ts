import { fallbackMessage, parseMessage } from '@family-inbox/mail-reader/parse-message'
import test from 'ava'
import { attachment, FROM, mail, multipartMail, text } from '../../../../tests/mail-corpus/build-mail.ts'
import { dedupeKey } from './store-mail.ts'

const ID = { 'Message-ID': '<one@clinic.example>' }

async function keyOf(raw: Buffer): Promise<string> {
  return dedupeKey(await parseMessage(raw), raw)
}

test('a mail that is delivered again has the same key', async (t) => {
  const raw = mail(ID, 'Hello')
  t.is(await keyOf(raw), await keyOf(Buffer.from(raw)))
  t.regex(await keyOf(raw), /^[0-9a-f]{64}$/)
})

test('a mail that two siblings forward automatically has the same key', async (t) => {
  const original = multipartMail(ID, 'mixed', [
    text('See file.'),
    attachment('a.pdf', 'application/pdf', Buffer.from('pdf')),
  ])
  const trace = (name: string) =>
    Buffer.from(
      `Received: from mx.${name}.example\r\nX-Forwarded-For: ${name}@gmail.example\r\nTo: ${name}@x.example\r\n`,
    )
  t.is(await keyOf(Buffer.concat([trace('anna'), original])), await keyOf(Buffer.concat([trace('ben'), original])))
})

test('a relay that changes the transfer encoding does not change the key', async (t) => {
  const eightBit = mail({ ...ID, 'Content-Type': 'text/plain; charset=utf-8' }, 'Grüße\r\n')
  const encoded = mail(
    { ...ID, 'Content-Type': 'text/plain; charset=utf-8', 'Content-Transfer-Encoding': 'base64' },
    Buffer.from('Grüße\r\n').toString('base64'),
  )
  t.is(await keyOf(eightBit), await keyOf(encoded))
})

test('a different mail with the same Message-ID has a different key', async (t) => {
  const file = (content: string) =>
    multipartMail(ID, 'mixed', [text('Hello'), attachment('a.pdf', 'application/pdf', Buffer.from(content))])
  const mails = [
    mail(ID, 'Hello'),
    mail(ID, 'Goodbye'),
    mail({ ...ID, Subject: 'Other' }, 'Hello'),
    mail({ ...ID, From: 'other@clinic.example' }, 'Hello'),
    file('one'),
    file('two'),
  ]
  t.is(new Set(await Promise.all(mails.map(keyOf))).size, mails.length)
})

test('mails of one Message-ID that look alike have different keys when a byte of their bodies differs', async (t) => {
  const unreadable = (words: string) =>
    mail({ ...ID, 'Content-Type': 'multipart/alternative; boundary="AA"' }, `--BB\r\n\r\n${words}\r\n--BB--\r\n`)
  const base64 = (body: string) => mail({ ...ID, 'Content-Transfer-Encoding': 'base64' }, body)
  const quoted = (body: string) => mail({ ...ID, 'Content-Transfer-Encoding': 'quoted-printable' }, body)
  const html = (comment: string) => mail({ ...ID, 'Content-Type': 'text/html' }, `<p>Hello</p><!-- ${comment} -->`)
  const encoded = Buffer.from('Come on Monday.').toString('base64')
  const mails = [
    ...['Monday at nine', 'Thursday at four', 'Friday'].map(unreadable),
    ...['one', 'two'].map(html),
    ...[encoded, `${encoded}\r\nand on Friday!`, `${encoded}\r\nand on Sunday!`].map(base64),
    ...['Hello =ZZ', 'Hello =YY'].map(quoted),
    mail({ ...ID, Date: 'Mon, 04 Aug 2025 10:00:00 +0000' }, 'Your visit is tomorrow'),
    mail({ ...ID, Date: 'Mon, 11 Aug 2025 10:00:00 +0000' }, 'Your visit is tomorrow'),
  ]
  t.is(new Set(await Promise.all(mails.map(keyOf))).size, mails.length)
})

test('line ends that a relay adds after a body do not change the key', async (t) => {
  t.is(await keyOf(mail(ID, 'Hello')), await keyOf(mail(ID, 'Hello\r\n\r\n')))
})

test('mails that differ only after the text limit have different keys', async (t) => {
  const long = 'word '.repeat(100_000)
  t.not(await keyOf(mail(ID, `${long}one`)), await keyOf(mail(ID, `${long}two`)))
})

test('without a Message-ID, or if the mail is unreadable, every byte counts', async (t) => {
  const none = { 'Message-ID': null, Date: null }
  t.is(await keyOf(mail(none, 'Hello')), await keyOf(mail(none, 'Hello')))
  t.not(await keyOf(mail(none, 'Hello')), await keyOf(mail({ ...none, 'X-A': '1' }, 'Hello')))
  const [one, two] = [mail(ID, 'one'), mail(ID, 'two')]
  t.not(dedupeKey(fallbackMessage(one), one), dedupeKey(fallbackMessage(two), two))
  t.true(fallbackMessage(one).from.address !== '' && FROM.includes(fallbackMessage(one).from.address))
})
