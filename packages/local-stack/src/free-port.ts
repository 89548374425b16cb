import { connect, createServer } from 'node:net'
import { pid } from 'node:process'
import { threadId } from 'node:worker_threads'

// Below the system's range for outgoing connections, so that a restarted service finds its port free.
const FIRST = 15_000
const COUNT = 15_000
const BLOCK = 100

// Each process and test worker uses its own block, so that concurrent searches find different ports.
let next = ((pid * 31 + threadId) * BLOCK) % COUNT

/** A free TCP port that no recent call in this process has returned. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries++) {
    const port = FIRST + next
    next = (next + 1) % COUNT
    if (!(await portProblem(port))) return port
  }
  throw new Error(`No free port between ${FIRST} and ${FIRST + COUNT}`)
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
