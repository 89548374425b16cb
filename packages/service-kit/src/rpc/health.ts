import { Client } from '@grpc/grpc-js'
import { service } from 'grpc-health-check'
import type { MethodDefinition } from './definition.ts'
import type { Identity } from './identity.ts'

export type HealthClient = {
  service: string
  /** Whether the service says that it can do its work, asked now. */
  isServing(): Promise<boolean>
  close(): void
}

const PATIENCE_MS = 1000

/**
 * Asks a service for its readiness by the gRPC health checking protocol.
 * @param target a gRPC target, for example `dns:///inbox:50051`
 */
export function watchHealth(name: string, target: string, identity: Identity): HealthClient {
  const client = new Client(target, identity.transport.client, {
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1000,
    'grpc.enable_http_proxy': 0,
  })
  const { path, requestSerialize, responseDeserialize } = service.Check as MethodDefinition
  return {
    service: name,
    isServing: () =>
      new Promise((resolve) => {
        const options = { deadline: Date.now() + PATIENCE_MS }
        client.makeUnaryRequest(
          path,
          requestSerialize,
          responseDeserialize,
          { service: 'ready' },
          options,
          (error, response) => resolve(error === null && (response as { status: unknown }).status === 'SERVING'),
        )
      }),
    close: () => client.close(),
  }
}
