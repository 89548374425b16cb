import { text } from 'node:stream/consumers'
import { TRAEFIK_PORT, traefik } from '@family-inbox/deploy/cluster/add-ons/traefik'
import { applyCustomResources } from '@family-inbox/deploy/cluster/apply'
import { kubectl, startOnInternet } from '@family-inbox/deploy/cluster/inside'
import { cachedPrograms } from '@family-inbox/deploy/cluster/programs/programs'
import { nodeAddress } from '@family-inbox/deploy/cluster/system/layout'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { AUTHORITY, CERTIFICATES } from './_certificates.ts'
import { type Kubernetes, whyNoKubernetes } from './_kubernetes.ts'

/** Why there can be no Traefik on a cluster here; undefined if there can. */
export async function whyNoTraefik(): Promise<string | undefined> {
  const problem = await whyNoKubernetes()
  if (problem !== undefined) return problem
  const programs = await cachedPrograms(readEnvironment())
  return programs?.traefik === undefined ? 'Traefik is not built: run npm run cluster -- build' : undefined
}

/** Starts Traefik with its custom resources, and those of the Gateway API, and waits until it is ready. */
export async function startTraefik({ layout }: Kubernetes, say: (line: string) => void): Promise<void> {
  await applyCustomResources(layout, { env: readEnvironment(), say })
  await kubectl(layout, ['apply', '--server-side', '-f', '-'], { input: JSON.stringify(traefik()) })
  await kubectl(layout, ['--namespace=traefik', 'rollout', 'status', 'deployment/traefik', '--timeout=120s'])
}

/** The Secrets that cert-manager makes in production: of each service, of the gateway’s HTTPS, and of `names`. */
export async function applyCertificates({ layout }: Kubernetes, ...names: string[]): Promise<void> {
  const secret = (name: string, service: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name, namespace: 'family-inbox' },
    stringData: {
      'tls.crt': CERTIFICATES[service]?.certificate,
      'tls.key': CERTIFICATES[service]?.key,
      'ca.crt': AUTHORITY,
    },
  })
  const items = [
    ...Object.keys(CERTIFICATES).map((service) => secret(`${service}-tls`, service)),
    ...['gateway-https', ...names].map((name) => secret(name, 'gateway')),
  ]
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'family-inbox' } }
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [namespace, ...items] })
  await kubectl(layout, ['apply', '--server-side', '-f', '-'], { input })
}

export type Asked = { host: string; path: string; key?: string; body: object }
export type Answered = { status: number; body: string }

/** Sends a request by HTTPS to Traefik, from an address outside of the cluster. The public certificate is not its subject. */
export async function askFromInternet({ layout }: Kubernetes, { host, path, key, body }: Asked): Promise<Answered> {
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const options = {
    ...{ host: nodeAddress(2), port: TRAEFIK_PORT, servername: host, path, method: 'POST', timeout: 20_000 },
    headers: { host, 'content-type': 'application/json', ...authorization },
    rejectUnauthorized: false,
  }
  const source = `
    const { request } = await import('node:https')
    const sent = request(${JSON.stringify(options)}, async (answer) => {
      const chunks = await answer.toArray()
      process.stdout.write(JSON.stringify({ status: answer.statusCode, body: Buffer.concat(chunks).toString() }))
    })
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')))
    sent.on('error', ({ message }) => process.stdout.write(JSON.stringify({ status: 0, body: message })))
    sent.end(${JSON.stringify(JSON.stringify(body))})`
  const program = [process.execPath, '--input-type=module', '--eval', source]
  const child = await startOnInternet(layout, program, ['ignore', 'pipe', 'inherit'])
  return JSON.parse(child.stdout ? await text(child.stdout) : '')
}
