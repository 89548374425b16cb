import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export type Names = AsyncDisposable & {
  /** A gRPC target that resolves a service through this server. */
  target(service: string): string
}

const GRPC_PORT = 50051
const HEADER_BYTES = 12
const IS_ANSWER = 0x8400
const TYPE_A = 1
const IN = 1
const TTL_SEC = 5
/** The question's name, directly after the header (RFC 1035 section 4.1.4). */
const SAME_NAME = 0xc000 | HEADER_BYTES

/**
 * A DNS server that acts like a cluster's for headless Services: returns the addresses of all ready replicas.
 * @param addressesOf a service's current addresses
 */
export async function serveNames(addressesOf: (service: string) => readonly string[]): Promise<Names> {
  const server = createSocket('udp4')
  server.on('message', (query, { port, address }) => server.send(answerTo(query, addressesOf), port, address))
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  return {
    target: (service) => `dns://127.0.0.1:${port}/${service}:${GRPC_PORT}`,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

/** Answers IPv4 queries; others get an empty answer. */
function answerTo(query: Buffer, addressesOf: (service: string) => readonly string[]): Buffer {
  const end = query.indexOf(0, HEADER_BYTES) + 1
  const [label = ''] = labelsOf(query.subarray(HEADER_BYTES, end))
  const addresses = query.readUInt16BE(end) === TYPE_A ? addressesOf(label) : []
  const header = Buffer.alloc(HEADER_BYTES)
  for (const [at, value] of [query.readUInt16BE(0), IS_ANSWER, 1, addresses.length].entries())
    header.writeUInt16BE(value, at * 2)
  return Buffer.concat([header, query.subarray(HEADER_BYTES, end + 4), ...addresses.map(recordOf)])
}

function labelsOf(name: Buffer): string[] {
  const labels: string[] = []
  for (let at = 0; name[at]; at += 1 + (name[at] ?? 0))
    labels.push(name.toString('latin1', at + 1, at + 1 + (name[at] ?? 0)))
  return labels
}

function recordOf(address: string): Buffer {
  const record = Buffer.alloc(16)
  for (const [at, value] of [SAME_NAME, TYPE_A, IN, 0, TTL_SEC, 4].entries()) record.writeUInt16BE(value, at * 2)
  record.set(address.split('.').map(Number), 12)
  return record
}
