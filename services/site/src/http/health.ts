import { Router } from 'express'

/** `livez` and `readyz`: the site keeps nothing and can answer as soon as it listens, if only to say what is away. */
export function healthRouter(): Router {
  const router = Router()
  router.get(['/livez', '/readyz'], (_req, res) => {
    res.set('Cache-Control', 'no-store').json({ status: 'ok' })
  })
  return router
}
