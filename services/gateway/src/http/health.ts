import type { Agent } from 'node:http'
import { request as requestByTls } from 'node:https'
import type { HealthClient } from '@family-inbox/service-kit/rpc/health'
import { type RequestHandler, Router } from 'express'

/** Loaded late: see service-kit's http-server.ts. */
const { request } = process.getBuiltinModule('node:http')

const TIMEOUT_MS = 1000

/** `livez`: the process is up. `readyz`: 200 only when every service behind it is ready; else 503 and their names. */
export function healthRouter(health: readonly HealthClient[]): Router {
  const router = Router()
  router.get('/livez', (_req, res) => {
    res.set('Cache-Control', 'no-store').json({ status: 'ok' })
  })
  router.get('/readyz', readyz(health))
  return router
}

function readyz(health: readonly HealthClient[]): RequestHandler {
  return async (_req, res) => {
    const serving = await Promise.all(health.map((client) => client.isServing()))
    const waitingFor = health.filter((_, index) => !serving[index]).map(({ service }) => service)
    const ready = waitingFor.length === 0
    res.status(ready ? 200 : 503).set('Cache-Control', 'no-store')
    res.json(ready ? { status: 'ok' } : { status: 'waiting', waitingFor })
  }
}

export function watchHttpHealth(service: string, address: string, agent: Agent): HealthClient {
  return { service, isServing: () => isServing(new URL('/readyz', address), agent), close: () => agent.destroy() }
}

function isServing(url: URL, agent: Agent): Promise<boolean> {
  const send = url.protocol === 'https:' ? requestByTls : request
  return new Promise((resolve) => {
    send(url, { agent, signal: AbortSignal.timeout(TIMEOUT_MS) }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
      .on('error', () => resolve(false))
      .end()
  })
}
