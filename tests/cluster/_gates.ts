import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Proxies in front of ports, each of which can be closed: nobody reaches what is behind it. */
export type Gates = AsyncDisposable & {
  /** Puts a gate in front of a port. @returns the port at which others reach it */
  through(port: number): Promise<number>
  /** @param port what `through` returned */
  close(port: number): void
  open(port: number): void
}

type Gate = { server: Server; isOpen: boolean; sockets: Set<Socket> }

export function openGates(): Gates {
  const gates = new Map<number, Gate>()

  async function through(port: number): Promise<number> {
    const sockets = new Set<Socket>()
    const server = createServer({ noDelay: true }, (from) => {
      if (!gate.isOpen) return void from.resetAndDestroy()
      const to = connect({ host: '127.0.0.1', port, noDelay: true })
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const) {
        sockets.add(one)
        one.pipe(other)
        one.on('error', () => other.destroy())
        one.once('close', () => {
          sockets.delete(one)
          other.destroy()
        })
      }
    })
    const gate = { server, isOpen: true, sockets }
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const reachedAt = (server.address() as AddressInfo).port
    gates.set(reachedAt, gate)
    return reachedAt
  }

  function close(port: number): void {
    const gate = gates.get(port)
    if (gate === undefined) throw new Error(`there is no gate at ${port}`)
    gate.isOpen = false
    for (const socket of gate.sockets) socket.destroy()
  }

  return {
    through,
    close,
    open(port) {
      const gate = gates.get(port)
      if (gate !== undefined) gate.isOpen = true
    },
    async [Symbol.asyncDispose]() {
      for (const [port, { server }] of gates) {
        close(port)
        server.close()
      }
    },
  }
}
