import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Endpoints = AsyncDisposable & { port: number }

/**
 * A Service with a cluster IP: each new connection goes to the next ready replica and stays there.
 * @param addressesOf current targets, as `host:port`
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

  /** Forwards data, end and errors transparently. */
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
