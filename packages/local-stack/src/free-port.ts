import { connect, createServer } from 'node:net'
import { pid } from 'node:process'
import { threadId } from 'node:worker_threads'

// Below the ports the system gives to outgoing connections, so that a service that is restarted finds its port free.
const FIRST = 15_000
const COUNT = 15_000
const BLOCK = 100

// Each process and each test worker walks through its own block, so that two that look at once do not find the same.
let next = ((pid * 31 + threadId) * BLOCK) % COUNT

/** A TCP port nobody listens on, and that no other call in this process has returned lately. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries++) {
    const port = FIRST + next
    next = (next + 1) % COUNT
    if (!(await portTrouble(port))) return port
  }
  throw new Error(`No free port between ${FIRST} and ${FIRST + COUNT}`)
}

/** What keeps one from listening on a port, on any local address; undefined when nothing does. */
export async function portTrouble(port: number): Promise<string | undefined> {
  for (const host of ['127.0.0.1', '::1', '::']) {
    const error = await tryToListen(port, host)
    if (error === 'EADDRINUSE') return 'is in use'
    if (error === 'EACCES') return 'is reserved for the administrator'
  }
  return undefined // other errors mean that there is no such address here: nobody can be in the way
}

/** Whether somebody accepts connections on a loopback port. */
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
