import { randomInt } from 'node:crypto'
import { connect, createServer } from 'node:net'

// Below the system's range for outgoing connections, so that a restarted service finds its port free.
const FIRST = 15_000
const BLOCKS = 150
const BLOCK = 100

/** The ports that no call in this process has returned yet. */
let unused: Promise<number[]> | undefined

/** A free TCP port that no other call returns, here or in any process that is running. */
export async function freePort(): Promise<number> {
  for (;;) {
    unused ??= claimBlock()
    const block = unused
    const port = (await block).shift()
    if (port !== undefined && !(await portProblem(port))) return port
    if (port === undefined && unused === block) unused = undefined
  }
}

/** Listens on the first port of a block until the process ends, however it ends: so each block has one owner on the machine. */
async function claimBlock(): Promise<number[]> {
  const start = randomInt(BLOCKS)
  for (let tries = 0; tries < BLOCKS; tries++) {
    const first = FIRST + ((start + tries) % BLOCKS) * BLOCK
    if (await hold(first)) return Array.from({ length: BLOCK - 1 }, (_, index) => first + 1 + index)
  }
  throw new Error(`No free ports: all from ${FIRST} to ${FIRST + BLOCKS * BLOCK - 1} are claimed`)
}

function hold(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy()).unref()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(true))
  })
}

/** Why a port cannot be used on some local address; undefined if it can. */
export async function portProblem(port: number): Promise<string | undefined> {
  for (const host of ['127.0.0.1', '::1', '::']) {
    const error = await tryToListen(port, host)
    if (error === 'EADDRINUSE') return 'is in use'
    if (error === 'EACCES') return 'is reserved for the administrator'
  }
  return undefined // other errors mean that this machine lacks the address
}

export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 1000 })
    const end = (accepted: boolean) => {
      socket.destroy()
      resolve(accepted)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
}

function tryToListen(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}
