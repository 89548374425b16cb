import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Balancer = AsyncDisposable & { port: number }

/**
 * Like a Service with a cluster IP: each new connection goes to the next ready replica and stays there. One that refuses it
 * is passed over.
 * @param addressesOf current targets, as `host:port`
 * @param port where to listen on this machine; by default a free port
 */
export async function startBalancer(addressesOf: () => readonly string[], port = 0): Promise<Balancer> {
  const sockets = new Set<Socket>()
  let turn = 0
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (client) => {
    const addresses = addressesOf()
    const first = turn++
    const inTurn = addresses.map((_, index) => addresses[(first + index) % addresses.length] as string)
    sockets.add(client)
    client.on('error', () => {})
    connectToFirst(client, inTurn)
  })

  function connectToFirst(client: Socket, [address, ...others]: readonly string[]): void {
    if (address === undefined) return void client.resetAndDestroy()
    const [host = '', replicaPort] = address.split(':')
    const replica = connect({ host, port: Number(replicaPort), allowHalfOpen: true, noDelay: true })
    const tryNext = () => connectToFirst(client, others)
    replica.once('error', tryNext)
    replica.once('connect', () => {
      replica.off('error', tryNext)
      join(client, replica)
      join(replica, client)
      client.resume()
    })
  }

  /** Forwards data, end and errors transparently. */
  function join(from: Socket, to: Socket): void {
    sockets.add(from)
    from.pipe(to)
    from.once('error', () => to.resetAndDestroy())
    from.once('close', () => sockets.delete(from))
  }

  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
