import { type Agent, request } from 'node:http'
import { request as requestByTls } from 'node:https'
import type { HealthClient } from '@family-inbox/service-kit/rpc/health'
import { type RequestHandler, Router } from 'express'
import type { Context } from '../context.ts'

/** `livez`: this process answers. `readyz`: 200 only when every service behind it serves; else 503, naming those that do not. */
export function healthRouter(ctx: Context): Router {
  const router = Router()
  router.get('/livez', (_req, res) => {
    res.set('Cache-Control', 'no-store').json({ status: 'ok' })
  })
  router.get('/readyz', readyz(ctx))
  return router
}

function readyz({ health }: Context): RequestHandler {
  return async (_req, res) => {
    const serving = await Promise.all(health.map((client) => client.isServing()))
    const waitingFor = health.filter((_, index) => !serving[index]).map(({ service }) => service)
    const ready = waitingFor.length === 0
    res.status(ready ? 200 : 503).set('Cache-Control', 'no-store')
    res.json(ready ? { status: 'ok' } : { status: 'waiting', waitingFor })
  }
}

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
