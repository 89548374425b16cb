import { request } from 'node:http'
import { request as requestByTls } from 'node:https'
import type { Manifest } from './_manifests.ts'

export type ProbeName = 'startupProbe' | 'readinessProbe' | 'livenessProbe'

const TIMEOUT_MS = 5000

/** Whether a Deployment's probe succeeds now, run like the kubelet. */
export async function probe(deployment: Manifest, name: ProbeName, address: string): Promise<boolean> {
  const [container] = deployment.spec.template.spec.containers
  const { httpGet } = container[name]
  const { containerPort } = container.ports.find((port: { name: string }) => port.name === httpGet.port)
  const scheme = httpGet.scheme === 'HTTPS' ? 'https' : 'http'
  return answersWell(`${scheme}://${address}:${containerPort}${httpGet.path}`)
}

/** A kubelet presents no certificate and verifies none. */
function answersWell(url: string): Promise<boolean> {
  const ask = url.startsWith('https:') ? requestByTls : request
  const options = { rejectUnauthorized: false, agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) } as const
  return new Promise((resolve) => {
    ask(url, options, (answer) => {
      const { statusCode = 0 } = answer.resume()
      resolve(statusCode >= 200 && statusCode < 400)
    })
      .on('error', () => resolve(false))
      .end()
  })
}
