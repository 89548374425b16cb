import { join } from 'node:path'
import { type ChannelCredentials, credentials, experimental, ServerCredentials } from '@grpc/grpc-js'
import { requireFiles } from '../config/config.ts'
import type { TlsStep } from '../config/tls-step.ts'
import { exportCertificateEnd } from '../observability/certificate-metrics.ts'

export type TransportSecurity = {
  client: ChannelCredentials
  server: ServerCredentials
  /** Whether the server accepts plain text, too. */
  plaintext: boolean
}

const REFRESH_MS = 10_000

/** Mutual TLS with `tls.crt`, `tls.key` and `ca.crt` (PEM), reloaded when renewed; without a folder plain text. @throws ConfigError */
export function transportSecurity(dir: string | undefined, step?: TlsStep): TransportSecurity {
  const insecure = { client: credentials.createInsecure(), server: ServerCredentials.createInsecure() }
  if (dir === undefined) return { ...insecure, plaintext: false }
  requireFiles('GRPC_TLS_DIR', dir, ['tls.crt', 'tls.key', 'ca.crt'])
  exportCertificateEnd('GRPC_TLS_DIR', dir)
  const certificates = new experimental.FileWatcherCertificateProvider({
    certificateFile: join(dir, 'tls.crt'),
    privateKeyFile: join(dir, 'tls.key'),
    caCertificateFile: join(dir, 'ca.crt'),
    refreshIntervalMs: REFRESH_MS,
  })
  const secure = experimental.createCertificateProviderChannelCredentials(certificates, certificates)
  return {
    client: step === 'introduce' ? insecure.client : secure,
    plaintext: step !== undefined,
    server: experimental.createCertificateProviderServerCredentials(certificates, certificates, true),
  }
}
