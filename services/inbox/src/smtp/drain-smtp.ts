import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SMTPServer } from 'smtp-server'

const DRAIN_MS = 5000
const POLL_MS = 20
/** For the last answers to leave. */
const FLUSH_MS = 500

/**
 * Closes the server: no new connections, idle ones end at once (421), messages under way have 5 s to be answered.
 * @param receiving the ids of the sessions in the middle of a message
 */
export async function drainSmtp(server: SMTPServer, receiving: ReadonlySet<string>): Promise<void> {
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
