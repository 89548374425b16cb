import anyTest, { type TestFn } from 'ava'
import type { Db } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { type Family, joinFamily } from '../_family.ts'
import type { Sink, SunkMail } from '../_mail-sink.ts'
import type { LeasedStack, MailOption, SharedStack } from '../_shared-stack.ts'
import { becomesTrue } from '../_wait.ts'

export type World<On extends SharedStack = SharedStack> = AsyncDisposable & {
  f: Family<On>
  sink: Sink
  auth: Db
  inbox: Db
}

/** What tells a family about its assistants, soon. A header says which network a call comes from. */
export function openWorld(options?: MailOption): TestFn<World> {
  const test = anyTest as TestFn<World>
  test.before(async (t) => {
    t.context = await watch(await joinFamily('quick', options))
  })
  test.after.always((t) => t.context[Symbol.asyncDispose]?.())
  return test
}

/** The same for one test alone, which may kill services. */
export async function leaseWorld(options?: MailOption): Promise<World<LeasedStack>> {
  return watch(await joinFamily('mortal', options))
}

async function watch<On extends SharedStack>(f: Family<On> & { sink: Sink }): Promise<World<On>> {
  await using starting = new AsyncDisposableStack()
  starting.use(f)
  const dbOf = async (service: 'auth' | 'inbox') => {
    const client = await openDatabase(f.stack, service)
    starting.defer(() => client.close())
    return client.db()
  }
  const [auth, inbox] = [await dbOf('auth'), await dbOf('inbox')]
  const opened = starting.move()
  return { f, sink: f.sink, auth, inbox, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** Waits for mails to an address whose subject matches. */
export async function awaitMails(sink: Sink, to: string, subject: RegExp, count = 1): Promise<SunkMail[]> {
  await becomesTrue(async () => mailsAbout(sink, to, subject).length >= count)
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
