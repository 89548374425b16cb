import { Client } from '@grpc/grpc-js'
import { HEALTH, SERVING } from './health-service.ts'
import type { Identity } from './identity.ts'
import { inProcessService, isReadyInProcess } from './in-process-transport.ts'

export type HealthClient = {
  service: string
  isServing(): Promise<boolean>
  close(): void
}

const TIMEOUT_MS = 1000

/** Checks a service's readiness, through gRPC health checking or in this process. @param target for example `dns:///inbox:50051` */
export function watchHealth(name: string, target: string, identity: Identity): HealthClient {
  const inProcess = inProcessService(target)
  if (inProcess !== undefined) return { service: name, isServing: () => isReadyInProcess(inProcess), close() {} }
  const client = new Client(target, identity.transport.client, {
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1000,
    'grpc.enable_http_proxy': 0,
  })
  const { path, requestSerialize, responseDeserialize } = HEALTH.check
  return {
    service: name,
    isServing: () =>
      new Promise((resolve) => {
        const options = { deadline: Date.now() + TIMEOUT_MS }
        client.makeUnaryRequest(
          path,
          requestSerialize,
          responseDeserialize,
          { service: 'ready' },
          options,
          (error, response) => resolve(error === null && response?.status === SERVING),
        )
      }),
    close: () => client.close(),
  }
}
