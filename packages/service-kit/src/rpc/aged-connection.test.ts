import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import {
  type ChannelOptions,
  Client,
  credentials,
  Server,
  ServerCredentials,
  type ServerWritableStream,
} from '@grpc/grpc-js'
import test from 'ava'
import { SERVER, STREAMS } from './grpc-transport.ts'

const FASTER = 60
const AGES = 4
const PIECES = 40

const { exportRecords } = AuthServiceService
const { path, requestSerialize, responseDeserialize } = exportRecords

test('a download outlives its connection’s age limit several times', async (t) => {
  const age = Number(quick(SERVER)['grpc.max_connection_age_ms'])
  t.true(age > 0)
  await using download = await open((AGES * age) / PIECES)
  let read = 0
  for await (const _ of download.pieces) read += 1
  t.is(read, PIECES)
})

/** A real server and client with our options, but sixty times faster. */
async function open(paceMs: number) {
  const server = new Server(quick(SERVER))
  const answer = async (call: ServerWritableStream<unknown, unknown>) => {
    for (let nth = 0; nth < PIECES; nth += 1, await sleep(paceMs)) call.write({ piece: { data: Buffer.alloc(1024) } })
    call.end()
  }
  server.addService({ exportRecords }, { exportRecords: answer })
  const port = await promisify(server.bindAsync.bind(server))('127.0.0.1:0', ServerCredentials.createInsecure())
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), quick(STREAMS))
  return {
    pieces: client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, {}),
    async [Symbol.asyncDispose]() {
      client.close()
      server.forceShutdown()
    },
  }
}

function quick(options: ChannelOptions): ChannelOptions {
  const times = Object.entries(options).filter(([name]) => name.endsWith('_ms'))
  return { ...options, ...Object.fromEntries(times.map(([name, value]) => [name, Number(value) / FASTER])) }
}
