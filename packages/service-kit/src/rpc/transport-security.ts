import { type ChannelCredentials, credentials, experimental, ServerCredentials } from '@grpc/grpc-js'
import type { TlsStep } from '../config/tls-step.ts'
import type { TlsFolder } from '../tls/tls-folder.ts'

export type TransportSecurity = {
  client: ChannelCredentials
  server: ServerCredentials
  /** Whether the server accepts plain text, too. */
  plaintext: boolean
  /** The certificate of both; none is plain text. */
  tls?: TlsFolder
}

/** Mutual TLS; without a folder plain text. */
export function transportSecurity(tls?: TlsFolder, step?: TlsStep): TransportSecurity {
  const insecure = { client: credentials.createInsecure(), server: ServerCredentials.createInsecure() }
  if (tls === undefined) return { ...insecure, plaintext: false }
  const certificates = certificatesOf(tls)
  const secure = experimental.createCertificateProviderChannelCredentials(certificates, certificates)
  return {
    client: step === 'introduce' ? insecure.client : secure,
    plaintext: step !== undefined,
    server: experimental.createCertificateProviderServerCredentials(certificates, certificates, true),
    tls,
  }
}

/** The provider of grpc-js that watches files drops every connection while certificate and key do not fit. */
function certificatesOf(tls: TlsFolder): experimental.CertificateProvider {
  const renewals = new Map<unknown, Disposable>()
  const add = (listener: unknown, update: () => void) => {
    renewals.set(listener, tls.onRenewal(update))
    process.nextTick(update) // grpc-js listens before it is ready for an update
  }
  const remove = (listener: unknown) => {
    renewals.get(listener)?.[Symbol.dispose]()
    renewals.delete(listener)
  }
  return {
    addIdentityCertificateListener: (listener) =>
      add(listener, () => {
        const { cert, key } = tls.current()
        listener({ certificate: cert, privateKey: key })
      }),
    addCaCertificateListener: (listener) => add(listener, () => listener({ caCertificate: tls.current().ca })),
    removeIdentityCertificateListener: remove,
    removeCaCertificateListener: remove,
  }
}
