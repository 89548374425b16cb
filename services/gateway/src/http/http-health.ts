import type { HealthClient } from '@family-inbox/service-kit/rpc/health'

const PATIENCE_MS = 1000

/** Asks a service that speaks only HTTP for its readiness, at its own `/readyz`. */
export function watchHttpHealth(service: string, address: string): HealthClient {
  return {
    service,
    async isServing() {
      try {
        return (await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(PATIENCE_MS) })).ok
      } catch {
        return false
      }
    },
    close() {},
  }
}
