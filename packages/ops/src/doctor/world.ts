import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { readdir, readFile, stat, statfs } from 'node:fs/promises'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { createTransport } from 'nodemailer'
import ops from '../../package.json' with { type: 'json' }
import { connect } from '../services.ts'
import { findTarget } from '../target.ts'

/** What the checks look at. Tests have a world of their own. */
export type World = {
  now(): Date
  /** Like the next two, empty if there is none. @throws when DNS gives no answer */
  mailExchangers(name: string): Promise<string[]>
  texts(name: string): Promise<string[]>
  addresses(name: string): Promise<string[]>
  /** The certificate at an address, and why clients refuse it. @throws without TLS */
  certificate(host: string, port: number): Promise<{ validTo: Date; refusal?: string }>
  /** Follows no redirect. */
  get(url: string): Promise<{ status: number; text: string }>
  /** The first line of a mail server. @throws without one */
  greeting(host: string, port: number): Promise<string>
  /** Signs in to the server that sends outgoing mail. @throws why it refuses */
  signIn(smtpUrl: string): Promise<void>
  /** Milliseconds that this machine's clock is ahead. @throws without an answer */
  clockAhead(): Promise<number>
  freeBytes(folder: string): Promise<number>
  /** @throws without the file */
  readText(file: string): Promise<string>
  /** What the operator switched on their page. @throws while the services do not answer */
  switches(): Promise<{ name: string; value: string }[]>
  /** Of the installed software, and of the Node.js that runs it. */
  versions(): { installed: string; node: string }
  /** Files below a folder that others on this machine can read. */
  readableByOthers(folder: string): Promise<string[]>
}

const TIMEOUT_MS = 8000
const TIME_SERVER = 'pool.ntp.org'
/** From 1900 to 1970 (RFC 5905 section 6). */
const NTP_EPOCH_SEC = 2_208_988_800

export function realWorld(env: Readonly<Record<string, string | undefined>>): World {
  const resolver = new Resolver({ timeout: 3000, tries: 2 })
  const orNone = <T>(answer: Promise<T[]>): Promise<T[]> =>
    answer.catch((error) => {
      if (['ENOTFOUND', 'ENODATA'].includes(error.code)) return []
      throw error
    })
  return {
    now: () => new Date(),
    async mailExchangers(name) {
      const found = await orNone(resolver.resolveMx(name))
      return found.sort((a, b) => a.priority - b.priority).map(({ exchange }) => exchange.toLowerCase())
    },
    texts: async (name) => (await orNone(resolver.resolveTxt(name))).map((parts) => parts.join('')),
    addresses: async (name) => [...(await orNone(resolver.resolve4(name))), ...(await orNone(resolver.resolve6(name)))],
    certificate,
    async get(url) {
      const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
      return { status: response.status, text: await response.text() }
    },
    greeting,
    async signIn(url) {
      const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
      await createTransport({ url, ...timeouts }).verify()
    },
    clockAhead,
    async freeBytes(folder) {
      const { bavail, bsize } = await statfs(folder)
      return bavail * bsize
    },
    readText: (file) => readFile(file, 'utf8'),
    async switches() {
      using services = await connect(findTarget(env))
      return (await services.careCircle.getSwitches({})).switches
    },
    versions: () => ({ installed: ops.version, node: process.versions.node }),
    async readableByOthers(folder) {
      const found = await readdir(folder, { recursive: true }).catch(() => [])
      const modes = await Promise.all(found.map(async (name) => ({ name, ...(await stat(join(folder, name))) })))
      return modes.filter(({ name, mode }) => name.endsWith('.json') && (mode & 0o077) !== 0).map(({ name }) => name)
    },
  }
}

function certificate(host: string, port: number): Promise<{ validTo: Date; refusal?: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ validTo: Date; refusal?: string }>()
  // What clients would refuse is what is asked for here.
  const socket = connectTls({ host, port, servername: host, rejectUnauthorized: false, timeout: TIMEOUT_MS }, () => {
    const { valid_to } = socket.getPeerCertificate()
    const refusal = socket.authorized ? undefined : String(socket.authorizationError)
    resolve({ validTo: new Date(valid_to), ...(refusal !== undefined && { refusal }) })
  })
  socket.on('error', reject).on('timeout', () => reject(new Error('no answer')))
  return promise.finally(() => socket.destroy())
}

function greeting(host: string, port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connectTcp({ host, port, timeout: TIMEOUT_MS })
  socket.once('data', (line) => resolve(line.toString('latin1').trim()))
  socket.on('error', reject).on('timeout', () => reject(new Error('no answer')))
  return promise.finally(() => socket.end('QUIT\r\n'))
}

/** Asks once (RFC 5905 section 14). */
function clockAhead(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const socket = createSocket('udp4')
  const timer = setTimeout(() => reject(new Error('no answer')), TIMEOUT_MS)
  const request = Buffer.alloc(48)
  // Version 4, client.
  request[0] = 0b00_100_011
  const askedAt = Date.now()
  socket.once('message', (answer) => {
    const transmitted = (answer.readUInt32BE(40) - NTP_EPOCH_SEC + answer.readUInt32BE(44) / 2 ** 32) * 1000
    resolve((askedAt + Date.now()) / 2 - transmitted)
  })
  socket.on('error', reject).send(request, 123, TIME_SERVER, (error) => {
    if (error) reject(error)
  })
  return promise.finally(() => {
    clearTimeout(timer)
    socket.close()
  })
}
