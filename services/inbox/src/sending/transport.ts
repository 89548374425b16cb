import { createWriteStream } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createTransport, type SendMailOptions } from 'nodemailer'
import MailComposer from 'nodemailer/lib/mail-composer/index.js'
import type { SignMail } from './sign-mail.ts'

/** A full mailbox or an oversized mail (RFC 3463 section 3): the next mail may be accepted. */
const TEMPORARY_STATUS = /\b5\.(?:2\.[23]|3\.4)\b/

/** `unknown`: the connection broke before the answer, so it may be accepted. `elsewhere`: another sender has it. */
type SendOutcome = 'sent' | 'retry' | 'refused' | 'bounced' | 'unknown' | 'elsewhere'

export type Transport = {
  /** `claim` is called once all but the end of the mail is sent: no server can accept it before that. */
  send(mail: SendMailOptions, id: string, claim: () => Promise<boolean>): Promise<SendOutcome>
  close(): void
}

/** In total less than the queue's ack timeout. */
const TIMEOUTS = { connectionTimeout: 20_000, greetingTimeout: 20_000, socketTimeout: 40_000 }

export function smtpTransport(url: string, signing: SignMail): Transport {
  const transporter = createTransport({ url, ...TIMEOUTS, disableFileAccess: true, disableUrlAccess: true })
  return {
    send: (mail, _id, claim) => signing.inTurn(mail, () => hand(mail, claim)),
    close: () => transporter.close(),
  }

  async function hand(mail: SendMailOptions, claim: () => Promise<boolean>): Promise<SendOutcome> {
    const message = new MailComposer(mail).compile()
    const envelope = message.getEnvelope()
    let ended: boolean | undefined
    const end = async () => {
      ended = await claim()
      if (!ended) throw new Error('another sender finishes this mail')
    }
    const held = new Transform({
      transform: (chunk, _encoding, done) => done(null, chunk),
      flush: (done) => void end().then(() => done(), done),
    })
    // Signed here, so that the end of the mail is still what `claim` holds back.
    const source = signing.sign(message.createReadStream())
    source.on('error', (error) => held.destroy(error)).pipe(held)
    try {
      await transporter.sendMail({ envelope, raw: held })
      return 'sent'
    } catch (error) {
      return classifyFailure(error, ended)
    }
  }
}

export function outboxTransport(folder: string, signing: SignMail): Transport {
  return {
    async send(mail, id, claim) {
      const path = join(folder, `${id.replace(/[^\w.-]/g, '_')}.eml`)
      await mkdir(folder, { recursive: true })
      const source = signing.sign(new MailComposer(mail).compile().createReadStream())
      await pipeline(source, createWriteStream(`${path}.new`, { mode: 0o600 }))
      if (!(await claim())) return 'elsewhere'
      await rename(`${path}.new`, path)
      return 'sent'
    },
    close() {},
  }
}

/** 5xx is permanent (RFC 5321 4.2.1). Without an answer, only a mail whose end was not sent can be retried. */
function classifyFailure(error: unknown, ended: boolean | undefined): SendOutcome {
  if (ended === false) return 'elsewhere'
  const { responseCode, command, response } = error as { responseCode?: number; command?: string; response?: string }
  if (responseCode === undefined) return ended ? 'unknown' : 'retry'
  if (responseCode < 500) return 'retry'
  const isAboutMailbox = (command === 'RCPT TO' || command === 'DATA') && !TEMPORARY_STATUS.test(response ?? '')
  return isAboutMailbox ? 'bounced' : 'refused'
}
