import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { quantile } from '../measure/statistics.ts'
import { answerQuestions, workerOptions } from './worker.ts'

/** Pages in turn (closed loop). */
export type PageLoad = {
  port: number
  host: string
  headers: Record<string, string>
  connections: number
  seconds: number
}

/** A path and the headers that decide the answer. */
export type PageRequest = { path: string; headers: Record<string, string> }

export type PageFigures = {
  requests: number
  errors: number
  firstError?: string
  seconds: number
  p50Ms: number
  p99Ms: number
}

const MAX_REQUESTS = 1_000_000

const { requests } = await workerOptions<{ requests: PageRequest[] }>()

answerQuestions({}, run)

/** Bare sockets, so that the client costs little. Every answer must be 200, as long as the first answer to the same request. */
async function run(load: PageLoad): Promise<PageFigures> {
  const asked = requests.map((request) => ({
    bytes: toBytes(request, { host: load.host, ...load.headers }),
    length: 0,
  }))
  const sockets = await Promise.all(Array.from({ length: load.connections }, () => open(load.port)))
  for (const page of asked) page.length = await bodyLength(sockets[0] as Socket, page.bytes)
  const latencies = new Float64Array(MAX_REQUESTS)
  const started = performance.now()
  const end = started + load.seconds * 1000
  let done = 0
  let firstError: string | undefined
  const isOver = () => performance.now() >= end || done >= MAX_REQUESTS || firstError !== undefined

  const loop = (socket: Socket, first: number) =>
    new Promise<void>((resolve) => {
      let turn = first
      let sent = 0
      let missing = createCount(0)
      const ask = () => {
        const page = asked[turn++ % asked.length] as (typeof asked)[number]
        missing = createCount(page.length)
        sent = performance.now()
        socket.write(page.bytes)
      }
      const stop = (problem?: string) => {
        firstError ??= problem
        resolve()
      }
      socket.on('data', (chunk: Buffer) => {
        const left = missing(chunk)
        if (left < 0) return stop('an answer was longer than the first one')
        if (left > 0) return
        latencies[done] = performance.now() - sent
        done += 1
        if (isOver()) stop()
        else ask()
      })
      socket.once('close', () => stop('a connection was closed'))
      ask()
    })
  await Promise.all(sockets.map((socket, index) => loop(socket, index)))
  const seconds = (performance.now() - started) / 1000
  for (const socket of sockets) socket.removeAllListeners('close').destroy()
  const sorted = latencies.subarray(0, done).sort()
  const errors = firstError === undefined ? 0 : 1
  return { requests: done, errors, firstError, seconds, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
}

function toBytes({ path, headers }: PageRequest, common: Record<string, string>): Buffer {
  const lines = Object.entries({ ...common, ...headers }).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  await once(socket, 'connect')
  return socket
}

const OK = Buffer.from('HTTP/1.1 200 ')
const END_OF_HEAD = Buffer.from('\r\n\r\n')

/** Returns how many bytes of an answer are missing after each chunk. */
function createCount(bodyLength: number): (chunk: Buffer) => number {
  let missing: number | undefined
  return (chunk) => {
    missing = (missing ?? headLength(chunk) + bodyLength) - chunk.length
    return missing
  }
}

function headLength(chunk: Buffer): number {
  const end = chunk.indexOf(END_OF_HEAD)
  if (end < 0 || !chunk.subarray(0, OK.length).equals(OK)) throw new Error(chunk.subarray(0, 300).toString('latin1'))
  return end + END_OF_HEAD.length
}

async function bodyLength(socket: Socket, bytes: Buffer): Promise<number> {
  socket.write(bytes)
  let answer = Buffer.alloc(0)
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    answer = Buffer.concat([answer, chunk])
    const head = headLength(answer)
    const length = Number(/^content-length: (\d+)\r$/im.exec(answer.subarray(0, head).toString('latin1'))?.[1])
    if (answer.length === head + length) return length
  }
}
