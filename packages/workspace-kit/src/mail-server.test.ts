import test from 'ava'
import { createTransport } from 'nodemailer'
import { z } from 'zod'
import { mailServerSettings, mailServerUrl } from './mail-server.ts'

const LOGIN = { SMTP_USER: 'ana@family.example', SMTP_PASSWORD: 'a/b c@d:e%' }
const settings = z.object(mailServerSettings)

test('a provider’s name and an app password are all it takes', (t) => {
  const url = mailServerUrl(settings.parse({ SMTP_PROVIDER: 'Gmail', ...LOGIN }))
  t.regex(url ?? '', /^smtps:\/\/ana%40family\.example:.*@smtp\.gmail\.com:465$/)
  const { options } = createTransport({ url })
  t.like(options, { host: 'smtp.gmail.com', secure: true, auth: { user: LOGIN.SMTP_USER, pass: LOGIN.SMTP_PASSWORD } })
})

test('names can be written in any way, and by another name of the provider', (t) => {
  for (const name of ['gmail', 'Google Mail', 'GMAIL', 'outlook.com', 'Outlook 365', 'Fastmail', 'icloud', 'Me'])
    t.notThrows(() => mailServerUrl(settings.parse({ SMTP_PROVIDER: name, ...LOGIN })), name)
})

test('a provider whose encryption begins in the connection gets no password without it', (t) => {
  const url = mailServerUrl(settings.parse({ SMTP_PROVIDER: 'iCloud', ...LOGIN }))
  const { options } = createTransport({ url })
  t.like(options, { host: 'smtp.mail.me.com', port: 587, secure: false, requireTLS: true })
})

test('an unknown provider, a missing password and two servers are refused with words', (t) => {
  t.false(settings.safeParse({ SMTP_PROVIDER: 'nobody' }).success)
  t.throws(() => mailServerUrl({ SMTP_PROVIDER: 'Gmail', SMTP_USER: 'ana' }), {
    message: /^SMTP_PASSWORD is missing: /,
  })
  t.throws(() => mailServerUrl({ SMTP_PROVIDER: 'Gmail', SMTP_PASSWORD: 'x' }), { message: /^SMTP_USER is missing: / })
  t.throws(() => mailServerUrl({ SMTP_PROVIDER: 'Gmail', SMTP_URL: 'smtp://a.example', ...LOGIN }), {
    message: /both set/,
  })
  t.is(mailServerUrl({}), undefined)
})
