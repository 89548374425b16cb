// Delivers numbered mails until its standard input ends, as a mail server on the internet does: it tries one host after another, and
// again later, with the same bytes. Prints the subject of each mail that was accepted, and of no other.
// Usage: node _mail-from-internet.ts <JSON of MailOptions>
import { randomUUID } from 'node:crypto'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport } from 'nodemailer'

export type MailOptions = {
  hosts: string[]
  port: number
  to: string
  paceMs: number
  subject?: string
  mails?: number
}

const TIMEOUT_MS = 3000
const RETRY_MS = 200

const options: MailOptions = JSON.parse(process.argv[2] ?? '')
const { hosts, port, to, paceMs, subject: words = 'Result', mails = Number.POSITIVE_INFINITY } = options
let isOn = true
process.stdin.on('end', () => {
  isOn = false
})
process.stdin.resume()
for (let nth = 1; isOn && nth <= mails; nth++) {
  const mail = mailAbout(`${words} ${nth}`)
  while (isOn && !(await deliver(mail))) await sleep(RETRY_MS)
  await sleep(paceMs)
}
process.exit(0)

function mailAbout(subject: string) {
  const ids = { messageId: `<${randomUUID()}@clinic.example>`, date: new Date() }
  return { from: 'Clinic <results@clinic.example>', to, subject, text: 'All is well.', ...ids }
}

/** @returns whether a host accepted it; then that is printed */
async function deliver(mail: ReturnType<typeof mailAbout>): Promise<boolean> {
  for (const host of hosts) {
    const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
    const transport = createTransport({ host, port, ignoreTLS: true, ...timeouts })
    const accepted = await transport.sendMail(mail).then(
      () => true,
      () => false,
    )
    transport.close()
    if (!accepted) continue
    process.stdout.write(`${mail.subject}\n`)
    return true
  }
  return false
}
