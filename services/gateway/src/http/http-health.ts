import { type Agent, request } from 'node:http'
import { request as requestByTls } from 'node:https'
import type { HealthClient } from '@family-inbox/service-kit/rpc/health'

const PATIENCE_MS = 1000

/** Asks a service that speaks only HTTP for its readiness, at its own `/readyz`. */
export function watchHttpHealth(service: string, address: string, agent: Agent): HealthClient {
  return { service, isServing: () => isServing(new URL('/readyz', address), agent), close: () => agent.destroy() }
}

function isServing(url: URL, agent: Agent): Promise<boolean> {
  const ask = url.protocol === 'https:' ? requestByTls : request
  return new Promise((resolve) => {
    ask(url, { agent, signal: AbortSignal.timeout(PATIENCE_MS) }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
      .on('error', () => resolve(false))
      .end()
  })
}
