import { setTimeout as sleep } from 'node:timers/promises'
import anyTest, { type TestFn } from 'ava'
import { type Db, MongoClient } from 'mongodb'
import { type Family, startFamily } from '../_family.ts'
import { type Sink, type SunkMail, startMailSink } from '../_mail-sink.ts'

export type World = { f: Family; sink: Sink; auth: Db; inbox: Db; opened: AsyncDisposableStack }

/** What tells a family about its assistants, on a stack of its own. A header says which network a call comes from. */
export function openWorld(): TestFn<World> {
  const test = anyTest as TestFn<World>
  test.before(async (t) => {
    await using starting = new AsyncDisposableStack()
    const sink = starting.use(await startMailSink())
    const quick = { NOTIFICATION_DELAY_SECONDS: '2', SWEEP_PAUSE_SECONDS: '1' }
    const env = { SMTP_URL: sink.url, ...quick, TRUSTED_PROXIES: '1' }
    const f = starting.use(await startFamily({ separate: ['auth', 'inbox'], env }))
    const dbOf = async (service: 'auth' | 'inbox') => {
      const client = await new MongoClient(f.stack.databaseUri(service)).connect()
      starting.defer(() => client.close())
      return client.db()
    }
    const [auth, inbox] = [await dbOf('auth'), await dbOf('inbox')]
    t.context = { f, sink, auth, inbox, opened: starting.move() }
  })
  test.after.always((t) => t.context.opened?.disposeAsync())
  return test
}

/** Waits for mails to an address whose subject matches. */
export async function awaitMails(sink: Sink, to: string, subject: RegExp, count = 1): Promise<SunkMail[]> {
  for (let waited = 0; waited < 60_000 && mailsAbout(sink, to, subject).length < count; waited += 100) await sleep(100)
  return mailsAbout(sink, to, subject)
}

export function mailsAbout(sink: Sink, to: string, subject: RegExp): SunkMail[] {
  const subjectOf = ({ headers }: SunkMail) => /^Subject: (.*)$/m.exec(headers)?.[1] ?? ''
  return sink.mails.filter((mail) => mail.to.includes(to) && subject.test(subjectOf(mail)))
}

export const textOf = ({ raw = '' }: Partial<SunkMail> = {}) =>
  Buffer.from(
    (raw.split('Content-Type: text/html')[0] ?? '')
      .replaceAll('=\r\n', '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()
