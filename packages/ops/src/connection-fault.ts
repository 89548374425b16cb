import { readFileSync } from 'node:fs'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'

type Security = { tlsDir?: string; serverName?: string }

const TIMEOUT_MS = 2000
/** With TLS 1.3 a server refuses a certificate after the client's handshake has ended. */
const REFUSAL_MS = 500
const HTTP2_PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const EMPTY_SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
const TLS_ALERT = 0x15

/** Connects once to a gRPC address, and says what is wrong with the connection and what to do. */
export async function findConnectionFault(address: string, security: Security): Promise<string | undefined> {
  const [, host, port] = address.match(/^(?:dns:\/*)?\[?([^/]+?)\]?:(\d+)$/) ?? []
  if (host === undefined) return undefined
  const { tlsDir, serverName = host } = security
  const fault = await (tlsDir === undefined
    ? tryPlainText(connectTcp({ host, port: Number(port) }))
    : tryTls({ host, port: Number(port) }, tlsDir, serverName))
  return fault && describeFault(fault, serverName)
}

type Fault = Error & { code?: string }

function tryPlainText(socket: Socket): Promise<Fault | undefined> {
  socket.once('connect', () => socket.write(Buffer.concat([Buffer.from(HTTP2_PREFACE), EMPTY_SETTINGS])))
  return settle(socket, (done) => {
    socket.once('data', ([first]) => done(first === TLS_ALERT ? fault('NEEDS_TLS') : undefined))
    socket.once('end', () => done(fault('NEEDS_TLS')))
  })
}

function tryTls(to: { host: string; port: number }, tlsDir: string, servername: string): Promise<Fault | undefined> {
  const read = (file: string) => readFileSync(join(tlsDir, file))
  const credentials = { cert: read('tls.crt'), key: read('tls.key'), ca: read('ca.crt') }
  const socket = connectTls({
    ...to,
    ...credentials,
    ...(isIP(servername) === 0 && { servername }),
    ALPNProtocols: ['h2'],
  })
  return settle(socket, (done) => {
    socket.once('secureConnect', () => {
      setTimeout(done, REFUSAL_MS)
      socket.once('close', () => done(fault('REFUSED')))
    })
  })
}

/** Resolves with the first error, or with what `listen` reports. */
async function settle(socket: Socket, listen: (done: (fault?: Fault) => void) => void): Promise<Fault | undefined> {
  const { promise, resolve } = Promise.withResolvers<Fault | undefined>()
  const timeout = setTimeout(() => resolve(fault('NO_ANSWER')), TIMEOUT_MS)
  socket.on('error', resolve)
  listen(resolve)
  try {
    return await promise
  } finally {
    clearTimeout(timeout)
    socket.destroy()
  }
}

function fault(code: string): Fault {
  return Object.assign(new Error(code), { code })
}

function describeFault({ code = '', message }: Fault, serverName: string): string {
  if (code === 'NEEDS_TLS')
    return 'it does not answer without TLS. Set GRPC_TLS_DIR to a folder with tls.crt, tls.key and ca.crt.'
  if (code === 'NO_ANSWER') return `no answer within ${TIMEOUT_MS / 1000} s. Check the address.`
  if (code === 'ECONNREFUSED') return 'nothing listens there. Check that its port is forwarded.'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate is not for ${serverName}. Check that the address is that of ${serverName}. ${message}`
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH|ECONNRESET/.test(code)) return 'it does not use TLS. Unset GRPC_TLS_DIR.'
  if (code === 'REFUSED' || /ALERT/.test(code))
    return 'it refuses the certificate in GRPC_TLS_DIR. Check that its authority signed tls.crt.'
  if (/CERT|SIGNATURE|ISSUER/.test(code))
    return `its certificate is not by the authority in ca.crt of GRPC_TLS_DIR (${message}).`
  return `${message}.`
}
