import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { MongoClient } from 'mongodb'
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server'
import { answerQuestions, workerOptions } from '../measure/worker.ts'

export type SmtpFloorOptions = { mongoUri: string; database: string }

/** The floor of durable mail: smtp-server, and one insert of the raw bytes (majority, journaled). */
const { mongoUri, database } = await workerOptions<SmtpFloorOptions>()
const client = new MongoClient(mongoUri, { writeConcern: { w: 'majority', journal: true } })
const mails = client.db(database).collection('mails')

const server = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  disableReverseLookup: true,
  logger: false,
  onData: (stream, _session, callback) => {
    store(stream).then(() => callback(null), callback)
  },
})
server.listen(0, '127.0.0.1')
await once(server.server, 'listening')
answerQuestions({ port: (server.server.address() as AddressInfo).port }, async () => ({}))

async function store(stream: SMTPServerDataStream): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  await mails.insertOne({ raw: Buffer.concat(chunks) })
}
