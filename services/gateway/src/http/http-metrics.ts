import type { ServerResponse } from 'node:http'
import { durations } from '@family-inbox/service-kit/metrics'
import type { Surface } from './surface.ts'

const seconds = durations({
  name: 'http_seconds',
  help: 'Requests the gateway answered, by public address, status and how long they took.',
  labels: ['surface', 'status'],
})

/** Counts a request when its answer has left, or its client. Paths are no label: strangers choose them. */
export function observeHttp(surface: Surface, response: ServerResponse): void {
  const startedAt = performance.now()
  response.once('close', () => {
    const status = response.writableFinished ? String(response.statusCode) : 'aborted'
    seconds.observe({ surface, status }, (performance.now() - startedAt) / 1000)
  })
}
