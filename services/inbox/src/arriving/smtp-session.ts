import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SMTPServer, SMTPServerSession } from 'smtp-server'
import { isRefusal, type Refusal, refusals } from './refusals.ts'

const DRAIN_MS = 5000
const POLL_MS = 20
/** For the last replies to be sent. */
const FLUSH_MS = 500

/** The SIZE parameter of MAIL FROM; smtp-server has rejected non-numbers. */
export function declaredBytes({ mailFrom }: SMTPServerSession['envelope']): number {
  const { SIZE: size = 0 } = (mailFrom ? mailFrom.args : {}) as { SIZE?: string | number }
  return Number(size) || 0
}

/** Ends a connection with the reason, also in the middle of a message. */
export function cutOff(server: SMTPServer, id: string, { responseCode, message }: Refusal): void {
  for (const connection of server.connections)
    if (connection.id === id) {
      connection.send(responseCode, message)
      connection.close()
    }
}

/** Answers a command when the work is done: with its refusal, if it has one. */
export function answer(work: Promise<void>, callback: (error?: Error | null) => void): void {
  work.then(
    () => callback(null),
    (error) => callback(isRefusal(error) ? error : refusals.tryLater()),
  )
}

/** Idle connections close with 421; those in the middle of a message (`receiving`) get 5 s. */
export async function drain(server: SMTPServer, receiving: ReadonlySet<string>): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  closeConnections(server, (id) => !receiving.has(id))
  const deadline = Date.now() + DRAIN_MS
  while (receiving.size > 0 && Date.now() < deadline) await sleep(POLL_MS)
  closeConnections(server, () => true)
  await Promise.race([closed, sleep(FLUSH_MS)])
}

function closeConnections(server: SMTPServer, isMeant: (id: string) => boolean): void {
  for (const connection of [...server.connections])
    if (isMeant(connection.id)) connection.send(421, 'Server shutting down')
}
