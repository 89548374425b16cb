/** What this process says of its own health, as of now. */
const health = { isStarted: false, isReady: undefined as boolean | undefined }

/** The start is over: whatever the service serves is served. */
export function reportStarted(): void {
  health.isStarted = true
}

/** Whether the work can be done now, as gRPC health says it under the service `ready`. */
export function reportReady(isReady: boolean): void {
  health.isReady = isReady
}

/**
 * The health of a gRPC service by HTTP, for who asks it without the certificate that mutual TLS takes, as a kubelet does.
 * `/livez`: the start is over and this process answers. `/readyz`: it can do its work; undefined where no gRPC is served.
 */
export const probes: Readonly<Record<string, () => boolean | undefined>> = {
  '/livez': () => health.isStarted,
  '/readyz': () => health.isReady,
}
