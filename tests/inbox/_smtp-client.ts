import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type SmtpClient = Disposable & {
  socket: Socket
  write(bytes: string | Buffer): Promise<void>
  /** The next complete reply; empty if the server closed the connection. */
  answer(): Promise<string>
  say(line: string): Promise<string>
  /** Sends everything up to DATA. @returns its reply, or that of the first recipient who is refused when all are */
  begin(...recipients: string[]): Promise<string>
  end(mail: string | Buffer): Promise<string>
}

/** Connects and reads the greeting. @param localAddress the client's address: any 127.x.x.x */
export async function connectSmtp(
  port: number,
  localAddress = '127.0.0.1',
): Promise<SmtpClient & { greeting: string }> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true })
  let received = ''
  let wake = () => {}
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1')
    wake()
  })
  socket.on('error', () => {})
  socket.on('close', () => wake())
  await once(socket, 'connect')

  async function answer(): Promise<string> {
    for (;;) {
      const whole = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(received)
      if (whole !== null) {
        received = received.slice(whole[0].length)
        return whole[0].trimEnd()
      }
      if (socket.closed || socket.readableEnded) return ''
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  function write(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) => socket.write(bytes, () => resolve()))
  }

  async function say(line: string): Promise<string> {
    await write(`${line}\r\n`)
    return answer()
  }

  return {
    socket,
    greeting: await answer(),
    write,
    answer,
    say,
    async begin(...recipients) {
      await say('EHLO clinic.example')
      await say('MAIL FROM:<desk@clinic.example>')
      const answers: string[] = []
      for (const recipient of recipients) answers.push(await say(`RCPT TO:<${recipient}>`))
      const data = await say('DATA')
      const areAllRefused = answers.every((one) => !one.startsWith('250'))
      return (areAllRefused ? answers[0] : undefined) ?? data
    },
    async end(mail) {
      await write(mail)
      await write('\r\n.\r\n')
      return answer()
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}

/** A letter of this minute: what is done with mail depends on its age. */
export function plainMail(subject: string, text = 'Please call us back.', headers: string[] = []): string {
  return [
    ...headers,
    'From: Front desk <desk@clinic.example>',
    'To: <inbox@family.example>',
    `Subject: ${subject}`,
    `Message-ID: <${crypto.randomUUID()}@clinic.example>`,
    `Date: ${new Date().toUTCString()}`,
    '',
    text,
  ].join('\r\n')
}

/** @returns the last reply: to the mail, or to what was refused before it */
export async function deliver(port: number, recipient: string, mail: string | Buffer, from?: string): Promise<string> {
  using client = await connectSmtp(port, from)
  const begun = await client.begin(recipient)
  return begun.startsWith('354') ? await client.end(mail) : begun
}

/** Whether the server took the mail; false, too, while it is away. */
export async function isTaken(answer: Promise<string>): Promise<boolean> {
  return (await answer.catch(() => '')).startsWith('250 ')
}
