import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport } from 'nodemailer'

export type Mailer = {
  /** Offers a mail once, on a connection of its own. Answers with the server's code, or 0 when there was no answer. */
  offer(to: string, raw: Buffer | string): Promise<number>
  /** Offers a mail until it is taken, as a mail server has to when it is told "later" or nothing. */
  deliver(to: string, raw: Buffer | string): Promise<void>
  /** The largest mail the server says it takes, in bytes (RFC 1870). */
  maxBytes(): Promise<number>
}

const SENDER = 'sender@clinic.example'
const RETRY_MS = 60
const GIVE_UP_MS = 60_000

/** A mail server as the world has them, for raw mail. */
export function openMailer({ smtpPort }: { smtpPort: number }): Mailer {
  const transport = createTransport({
    host: '127.0.0.1',
    port: smtpPort,
    secure: false,
    ignoreTLS: true,
    connectionTimeout: 15_000,
    greetingTimeout: 15_000,
    socketTimeout: 15_000,
  })
  async function offer(to: string, raw: Buffer | string): Promise<number> {
    try {
      const { response } = await transport.sendMail({ envelope: { from: SENDER, to: [to] }, raw })
      return Number.parseInt(response, 10)
    } catch (error) {
      return (error as { responseCode?: number }).responseCode ?? 0
    }
  }
  return {
    offer,
    async deliver(to, raw) {
      const giveUpAt = Date.now() + GIVE_UP_MS
      for (;;) {
        const code = await offer(to, raw)
        if (code === 250) return
        if (code >= 500) throw new Error(`refused for good with ${code}`)
        if (Date.now() > giveUpAt) throw new Error(`not taken within ${GIVE_UP_MS / 1000} s, last answer ${code}`)
        await sleep(RETRY_MS)
      }
    },
    async maxBytes() {
      const socket = connect(smtpPort, '127.0.0.1').setEncoding('utf8')
      socket.once('data', () => socket.write('EHLO there\r\nQUIT\r\n'))
      let answers = ''
      for await (const chunk of socket) answers += chunk
      return Number(/250[- ]SIZE (\d+)/.exec(answers)?.[1])
    },
  }
}

export type Dialogue = {
  /** Sends a line, or what follows DATA, and answers with the server's code; 0 when the connection ended instead. */
  say(line: string): Promise<number>
  /** Sends and does not listen. */
  shout(line: string): void
  hangUp(): void
}

/** Speaks SMTP line by line, up to where the server waits for the mail itself. */
export async function beginMail({ smtpPort }: { smtpPort: number }, to: string): Promise<Dialogue> {
  const socket = connect(smtpPort, '127.0.0.1').setEncoding('utf8')
  socket.on('error', () => {})
  const answers = socket.iterator({ destroyOnReturn: false })
  const listen = async () => Number.parseInt((await answers.next().catch(() => ({ value: '0' }))).value ?? '0', 10)
  const shout = (line: string) => void socket.write(`${line}\r\n`)
  const say = (line: string) => {
    shout(line)
    return listen()
  }
  await listen()
  for (const line of ['HELO there', `MAIL FROM:<${SENDER}>`, `RCPT TO:<${to}>`, 'DATA']) await say(line)
  return { say, shout, hangUp: () => void socket.destroy() }
}
