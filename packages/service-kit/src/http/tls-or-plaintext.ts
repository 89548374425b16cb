import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions, type Server as TlsServer } from 'node:tls'

/** The first byte of a TLS connection (RFC 8446 section 5.1). No request of HTTP/1 or HTTP/2 begins with it. */
const HANDSHAKE = 0x16
/** A client has so long to say something. */
const SILENT_MS = 5000

type Accept = (socket: Socket) => void

/** Passes each connection on by its first byte, which is read again there. */
export function byFirstByte(secure: Accept, plaintext: Accept): Accept {
  return (socket) => {
    const end = () => void socket.destroy()
    socket.once('error', end).once('end', end).once('timeout', end).setTimeout(SILENT_MS)
    socket.once('data', (chunk: Buffer) => {
      socket.pause().off('error', end).off('end', end).off('timeout', end).setTimeout(0)
      socket.unshift(chunk)
      if (chunk[0] === HANDSHAKE) secure(socket)
      else plaintext(socket)
    })
  }
}

/** Lets a server of HTTP accept HTTPS, too, at the same port. @returns the part that has the certificate */
export function acceptTlsToo(server: Server, options: TlsOptions): TlsServer {
  const [accept] = server.listeners('connection') as Accept[]
  if (accept === undefined) throw new Error('The server accepts no connections')
  const secure = createTlsServer({ ...options, ALPNProtocols: ['http/1.1'] }, (socket) => accept.call(server, socket))
  secure.on('tlsClientError', (_, socket) => socket.destroy())
  const acceptPlaintext = (socket: Socket) => {
    accept.call(server, socket)
    socket.resume()
  }
  server.off('connection', accept)
  server.prependListener(
    'connection',
    byFirstByte((socket) => secure.emit('connection', socket), acceptPlaintext),
  )
  return secure
}
