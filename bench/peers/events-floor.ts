import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import express from 'express'
import { MongoClient } from 'mongodb'
import { connect, StorageType } from 'nats'
import { answerQuestions, workerOptions } from '../measure/worker.ts'
import type { Agency } from '../world/agencies.ts'

export type EventsFloorOptions = {
  mongoUri: string
  database: string
  natsUrl: string
  serviceKey: unknown
  agencies: Agency[]
}

/**
 * The floor of durable events: one Express process that checks the signature, inserts the event under a unique key (majority,
 * journaled), and publishes it to a stream on disk. It has its partners in memory, no limits, and nothing happens afterwards.
 */
const { mongoUri, database, natsUrl, serviceKey, agencies } = await workerOptions<EventsFloorOptions>()
const client = new MongoClient(mongoUri, { writeConcern: { w: 'majority', journal: true } })
const events = client.db(database).collection<{ _id: string; body: Buffer }>('events')
const nats = await connect({ ...natsLogin(serviceKey), servers: natsUrl })
const manager = await nats.jetstreamManager()
await manager.streams.add({ name: 'BENCH_FLOOR', subjects: ['bench.floor.>'], storage: StorageType.File })
const stream = nats.jetstream()
const secretOf = new Map(agencies.map(({ institutionId, secret }) => [institutionId, secret]))

const app = express()
app.disable('x-powered-by').disable('etag')
app.post('/pipe/v1/events', express.raw({ type: () => true, limit: '256kb' }), async (req, res) => {
  const body = req.body as Buffer
  const institutionId = String(req.headers['x-pipe-institution'])
  const expected = createHmac('sha256', secretOf.get(institutionId) ?? '')
    .update(body)
    .digest('hex')
  const given = Buffer.from(String(req.headers['x-pipe-signature']))
  if (given.length !== 71 || !timingSafeEqual(given, Buffer.from(`sha256=${expected}`)))
    return void res.status(401).json({})
  const { event_id } = JSON.parse(body.toString())
  await events.insertOne({ _id: `${institutionId}/${event_id}`, body })
  await stream.publish(`bench.floor.${institutionId}`, body, { msgID: event_id })
  res.status(202).json({ event_id })
})
const http = app.listen(0, '127.0.0.1', () =>
  answerQuestions({ port: (http.address() as AddressInfo).port }, async () => ({})),
)
