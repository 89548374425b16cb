import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export type SunkMail = { from: string; to: string[]; raw: string; headers: string }

/** The response to a mail: undefined for 250. */
export type Verdict = undefined | { code: number; text: string }

export type Sink = AsyncDisposable & {
  readonly url: string
  /** All mail so far. Read it again for later mail. */
  readonly mails: SunkMail[]
  /** Waits until so many mails to an address have arrived. */
  waitFor(to: string, count?: number, timeoutMs?: number): Promise<SunkMail[]>
}

/** An external mail server: keeps its mail and responds as the test decides. */
export async function startMailSink(
  decide: (mail: SunkMail, tries: number) => Verdict | Promise<Verdict> = () => undefined,
): Promise<Sink> {
  const mails: SunkMail[] = []
  const tries = new Map<string, number>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, session, done) {
      text(stream).then(async (raw) => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom ? mailFrom.address : ''
        const headers = raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ')
        const mail = { from, to: rcptTo.map(({ address }) => address), raw, headers }
        const id = /^Message-ID: (.*)$/im.exec(headers)?.[1] ?? ''
        tries.set(id, (tries.get(id) ?? 0) + 1)
        const verdict = await decide(mail, tries.get(id) ?? 1)
        if (verdict === undefined) mails.push(mail)
        done(verdict && Object.assign(new Error(verdict.text), { responseCode: verdict.code }))
      }, done)
    },
  })
  server.on('error', () => {}) // a killed sender resets its connection
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    waitFor: waitForMails(() => mails),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}

/**
 * Waits for a minute unless told otherwise: a reply can be undone for five seconds, and if the queue did not answer then, up to
 * 20 more pass until the sweep takes it.
 * @param mails all mail so far
 */
export function waitForMails(mails: () => SunkMail[]): Sink['waitFor'] {
  return async (to, count = 1, timeoutMs = 60_000) => {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const found = mails().filter((mail) => mail.to.includes(to))
      if (found.length >= count) return found
      if (Date.now() > deadline) throw new Error(`${found.length} of ${count} mails came`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
