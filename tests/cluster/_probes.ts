import { request } from 'node:http'
import { request as requestByTls } from 'node:https'
import { Client, credentials } from '@grpc/grpc-js'
import { service as healthService } from 'grpc-health-check'
import type { Manifest } from './_manifests.ts'

export type ProbeName = 'startupProbe' | 'readinessProbe' | 'livenessProbe'

const PATIENCE_MS = 5000

/** Whether a Deployment's probe succeeds now, run like the kubelet. */
export async function probe(deployment: Manifest, name: ProbeName, address: string): Promise<boolean> {
  const [container] = deployment.spec.template.spec.containers
  const { grpc, httpGet } = container[name]
  if (grpc) return isServing(`${address}:${grpc.port}`, grpc.service ?? '')
  const { containerPort } = container.ports.find((port: { name: string }) => port.name === httpGet.port)
  const scheme = httpGet.scheme === 'HTTPS' ? 'https' : 'http'
  return answersWell(`${scheme}://${address}:${containerPort}${httpGet.path}`)
}

/** A kubelet presents no certificate and verifies none. */
function answersWell(url: string): Promise<boolean> {
  const ask = url.startsWith('https:') ? requestByTls : request
  const options = { rejectUnauthorized: false, agent: false, signal: AbortSignal.timeout(PATIENCE_MS) } as const
  return new Promise((resolve) => {
    ask(url, options, (answer) => {
      const { statusCode = 0 } = answer.resume()
      resolve(statusCode >= 200 && statusCode < 400)
    })
      .on('error', () => resolve(false))
      .end()
  })
}

function isServing(target: string, service: string): Promise<boolean> {
  const client = new Client(target, credentials.createInsecure(), { 'grpc.enable_http_proxy': 0 })
  const { path, requestSerialize, responseDeserialize } = healthService.Check as never as {
    path: string
    requestSerialize(value: object): Buffer
    responseDeserialize(bytes: Buffer): { status: string }
  }
  const options = { deadline: Date.now() + PATIENCE_MS }
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { service }, options, (error, response) => {
      client.close()
      resolve(error === null && response?.status === 'SERVING')
    })
  })
}
