import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP } from 'node:net'
import { readPeer, watchCertificate } from './https-server.ts'

/**
 * Keeps connections to another service that speaks HTTP. An `https` address is held to its name, whatever Host is asked for,
 * and shown this service's own certificate, which may be renewed meanwhile.
 * @param address the service, for example `https://site:8080`
 * @param tlsDir has `tls.crt`, `tls.key` and `ca.crt` (PEM); unset, the machine's own authorities are believed
 */
export function createHttpAgent(address: string, tlsDir: string | undefined): HttpAgent {
  const { protocol, hostname } = new URL(address)
  if (protocol !== 'https:') return new HttpAgent({ keepAlive: true })
  const held = { keepAlive: true, minVersion: 'TLSv1.2', servername: isIP(hostname) === 0 ? hostname : '' } as const
  if (tlsDir === undefined) return new HttpsAgent(held)
  const agent = new HttpsAgent({ ...held, ...readPeer(tlsDir) })
  watchCertificate(tlsDir, () => Object.assign(agent.options, readPeer(tlsDir)))
  return agent
}
