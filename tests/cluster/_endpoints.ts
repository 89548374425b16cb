import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Endpoints = AsyncDisposable & { port: number }

/**
 * A Service with an address of its own, as a cluster's nodes make it: each new connection goes to the next replica that is
 * ready, and stays there whatever becomes of it.
 * @param addressesOf where to connect to now, as `host:port`
 */
export async function serveEndpoints(addressesOf: () => readonly string[]): Promise<Endpoints> {
  const sockets = new Set<Socket>()
  let turn = 0
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const addresses = addressesOf()
    const [host = '', port] = addresses[turn++ % addresses.length]?.split(':') ?? []
    if (port === undefined) return void client.resetAndDestroy()
    const replica = connect({ host, port: Number(port), allowHalfOpen: true, noDelay: true })
    join(client, replica)
    join(replica, client)
  })

  /** What one side sends, ends or breaks, the other sees, as if nothing were in between. */
  function join(from: Socket, to: Socket): void {
    sockets.add(from)
    from.pipe(to)
    from.once('error', () => to.resetAndDestroy())
    from.once('close', () => sockets.delete(from))
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
