import { randomUUID } from 'node:crypto'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { quantile } from '../measure/statistics.ts'
import { answerQuestions, workerOptions } from '../measure/worker.ts'

/** Mail over SMTP (closed loop). */
export type MailLoad = {
  host: string
  port: number
  connections: number
  seconds: number
}

export type MailFigures = {
  accepted: number
  errors: number
  firstError?: string
  seconds: number
  p50Ms: number
  p99Ms: number
}

/** The recipient and a whole mail. Each copy gets its own Message-ID. */
export type MailLoadOptions = { recipient: string; mail: string }

const MAX_MAILS = 100_000

const { recipient, mail } = await workerOptions<MailLoadOptions>()

answerQuestions({}, run)

async function run(load: MailLoad): Promise<MailFigures> {
  const connections = await Promise.all(Array.from({ length: load.connections }, () => connect(load)))
  const latencies: number[] = []
  const started = performance.now()
  const end = started + load.seconds * 1000
  let firstError: string | undefined

  const loop = async (connection: SMTPConnection) => {
    while (performance.now() < end && latencies.length < MAX_MAILS && firstError === undefined) {
      const sent = performance.now()
      try {
        await send(connection)
        latencies.push(performance.now() - sent)
      } catch (error) {
        firstError ??= String(error)
      }
    }
  }
  await Promise.all(connections.map(loop))
  const seconds = (performance.now() - started) / 1000
  for (const connection of connections) connection.quit()
  const sorted = latencies.sort((a, b) => a - b)
  const errors = firstError === undefined ? 0 : 1
  const accepted = latencies.length
  return { accepted, errors, firstError, seconds, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
}

function connect({ host, port }: MailLoad): Promise<SMTPConnection> {
  const connection = new SMTPConnection({ host, port, ignoreTLS: true })
  return new Promise((resolve, reject) => {
    connection.once('error', reject)
    connection.connect(() => resolve(connection))
  })
}

function send(connection: SMTPConnection): Promise<void> {
  const message = `Message-ID: <${randomUUID()}@clinic.example>\r\n${mail}`
  return new Promise((resolve, reject) => {
    connection.send({ from: 'reports@clinic.example', to: [recipient] }, message, (error) =>
      error ? reject(error) : resolve(),
    )
  })
}
