import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import {
  type MethodDefinition,
  type Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  status,
} from '@grpc/grpc-js'

/** ServingStatus of grpc.health.v1. */
export const SERVING = 1
const NOT_SERVING = 2
const SERVICE_UNKNOWN = 3

type HealthRequest = { service: string }
type HealthResponse = { status: number }

/** grpc.health.v1.Health by hand: the usual package parses its contract at start, which costs 5 MB in every process. */
const method = { requestStream: false, requestSerialize, requestDeserialize, responseSerialize, responseDeserialize }
export const HEALTH = {
  check: { ...method, path: '/grpc.health.v1.Health/Check', responseStream: false },
  watch: { ...method, path: '/grpc.health.v1.Health/Watch', responseStream: true },
} satisfies Record<string, MethodDefinition<HealthRequest, HealthResponse>>

const WATCH_EVERY_MS = 1000

/** Serves gRPC health checking: the process as ``, readiness as `ready`. A watched status is checked once in a second. */
export function serveHealth(server: Server, isReady: () => Promise<boolean>): void {
  async function statusOf(service: string): Promise<number | undefined> {
    if (service === '') return SERVING
    if (service === 'ready') return (await isReady()) ? SERVING : NOT_SERVING
    return undefined
  }

  server.addService(HEALTH, {
    async check(
      { request }: ServerUnaryCall<HealthRequest, HealthResponse>,
      callback: (error: object | null, answer?: HealthResponse) => void,
    ) {
      const known = await statusOf(request.service)
      if (known === undefined) callback({ code: status.NOT_FOUND, details: 'There is no health of this service.' })
      else callback(null, { status: known })
    },
    watch(call: ServerWritableStream<HealthRequest, HealthResponse>) {
      let shown: number | undefined
      const show = async () => {
        const status = (await statusOf(call.request.service)) ?? SERVICE_UNKNOWN
        if (status !== shown && !call.cancelled) call.write({ status })
        shown = status
      }
      const timer = setInterval(show, WATCH_EVERY_MS)
      call.once('cancelled', () => clearInterval(timer))
      void show()
    },
  })
}

function requestSerialize({ service }: HealthRequest): Buffer {
  const writer = new BinaryWriter()
  if (service !== '') writer.tag(1, LENGTH_DELIMITED).string(service)
  return Buffer.from(writer.finish())
}

function requestDeserialize(bytes: Buffer): HealthRequest {
  return { service: readField(bytes, LENGTH_DELIMITED, (reader) => reader.string()) ?? '' }
}

function responseSerialize({ status: serving }: HealthResponse): Buffer {
  return Buffer.from(new BinaryWriter().tag(1, VARINT).int32(serving).finish())
}

function responseDeserialize(bytes: Buffer): HealthResponse {
  return { status: readField(bytes, VARINT, (reader) => reader.int32()) ?? 0 }
}

const VARINT = 0
const LENGTH_DELIMITED = 2

/** The first field of a message; others are skipped. */
function readField<T>(bytes: Buffer, type: number, read: (reader: BinaryReader) => T): T | undefined {
  const reader = new BinaryReader(bytes)
  let value: T | undefined
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag()
    if (field === 1 && wireType === type) value = read(reader)
    else reader.skip(wireType)
  }
  return value
}
