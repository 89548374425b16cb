import { connect } from 'node:net'
import { createTransport } from 'nodemailer'
import { readUntil } from './_wait.ts'
import { crlf } from './mail-corpus/build-mail.ts'

export type Mailer = {
  /** Offers a mail once, on its own connection. Resolves to the server's code, or 0 without a response. */
  offer(to: string, raw: Buffer | string): Promise<number>
  /** Offers a mail until it is accepted, as a mail server must after a temporary error. */
  deliver(to: string, raw: Buffer | string): Promise<void>
  /** The largest mail the server accepts, in bytes (RFC 1870). */
  maxBytes(): Promise<number>
}

const SENDER = 'sender@clinic.example'

/** An external mail server that sends raw mail. */
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
  async function offer(to: string, mail: Buffer | string): Promise<number> {
    try {
      const raw = onTheWire(mail)
      const { response } = await transport.sendMail({ envelope: { from: SENDER, to: [to] }, raw })
      return Number.parseInt(response, 10)
    } catch (error) {
      return (error as { responseCode?: number }).responseCode ?? 0
    }
  }
  return {
    offer,
    async deliver(to, raw) {
      const code = await readUntil(
        () => offer(to, raw),
        (answer) => answer === 250 || answer >= 500,
      )
      if (code !== 250) throw new Error(`refused for good with ${code}`)
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

/** The same bytes but for the ends of lines. nodemailer makes these, too, in a hundred times as long. */
export function onTheWire(mail: Buffer | string): Buffer {
  return Buffer.from(crlf(Buffer.from(mail).toString('latin1')), 'latin1')
}

export type Dialogue = {
  /** Sends a line or data. Resolves to the server's code, or 0 when the connection ended. */
  say(line: string): Promise<number>
  /** Sends without waiting. */
  shout(line: string): void
  hangUp(): void
}

/** Starts an SMTP dialogue, up to DATA. */
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
