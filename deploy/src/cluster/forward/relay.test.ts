import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import test from 'ava'
import { relay } from './relay.ts'

test('a relay passes on what either side says, until both have finished', async (t) => {
  const echo = createServer({ allowHalfOpen: true }, async (socket) => {
    const heard = await text(socket)
    socket.end(`heard ${heard}`)
  })
  echo.listen(0, '127.0.0.1')
  await once(echo, 'listening')
  const server = await relay({ host: '127.0.0.1', port: 0 }, { host: '127.0.0.1', port: portOf(echo) })
  t.teardown(() => {
    server.close()
    echo.close()
  })
  const socket = connect({ host: '127.0.0.1', port: portOf(server), allowHalfOpen: true })
  socket.end('a question')
  t.is(await text(socket), 'heard a question')
})

test('a relay ends the connection when nobody listens behind it', async (t) => {
  const server = await relay({ host: '127.0.0.1', port: 0 }, { path: '/nowhere/port.sock' })
  t.teardown(() => server.close())
  const socket = connect({ host: '127.0.0.1', port: portOf(server) })
  socket.on('error', () => {})
  await once(socket, 'close')
  t.pass()
})

function portOf(server: { address(): string | AddressInfo | null }): number {
  return (server.address() as AddressInfo).port
}
