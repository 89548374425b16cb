import { once } from 'node:events'
import { connect, createServer, type ListenOptions, type Server } from 'node:net'
import { pipeline } from 'node:stream'

/** Passes each connection on to another address. */
export async function relay(
  from: ListenOptions,
  to: { path: string } | { port: number; host: string },
): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (incoming) => {
    const outgoing = connect({ ...to, allowHalfOpen: true })
    const end = () => {
      incoming.destroy()
      outgoing.destroy()
    }
    pipeline(incoming, outgoing, (error) => error && end())
    pipeline(outgoing, incoming, (error) => error && end())
  })
  server.listen(from)
  await once(server, 'listening')
  return server
}
