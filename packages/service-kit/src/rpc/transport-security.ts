import { join } from 'node:path'
import { type ChannelCredentials, credentials, experimental, ServerCredentials } from '@grpc/grpc-js'
import { requireFiles } from '../config/config.ts'

/** How connections between services are secured, from either side. */
export type TransportSecurity = { client: ChannelCredentials; server: ServerCredentials }

const REFRESH_MS = 10_000

/**
 * Mutual TLS when there is a folder of certificates; plain connections otherwise, as on one machine. Both sides show a
 * certificate that the same authority signed, and a client holds the server's to the name it dialled. Certificates that
 * are renewed in the folder are taken up by themselves; connections end every minute or so, and the next ones have them.
 * @throws ConfigError when a file is missing
 * @param dir has `tls.crt`, `tls.key` and `ca.crt` (PEM), as cert-manager writes a Kubernetes Secret
 */
export function transportSecurity(dir: string | undefined): TransportSecurity {
  if (dir === undefined) return { client: credentials.createInsecure(), server: ServerCredentials.createInsecure() }
  requireFiles('GRPC_TLS_DIR', dir, ['tls.crt', 'tls.key', 'ca.crt'])
  const certificates = new experimental.FileWatcherCertificateProvider({
    certificateFile: join(dir, 'tls.crt'),
    privateKeyFile: join(dir, 'tls.key'),
    caCertificateFile: join(dir, 'ca.crt'),
    refreshIntervalMs: REFRESH_MS,
  })
  return {
    client: experimental.createCertificateProviderChannelCredentials(certificates, certificates),
    server: experimental.createCertificateProviderServerCredentials(certificates, certificates, true),
  }
}
