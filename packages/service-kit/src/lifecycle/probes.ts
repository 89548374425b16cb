const health = { isStarted: false, isReady: undefined as boolean | undefined }

export function markStarted(): void {
  health.isStarted = true
}

export function setReady(isReady: boolean): void {
  health.isReady = isReady
}

/** Health over HTTP, for a kubelet without a client certificate. `/readyz` is undefined in a process without gRPC. */
export const probes: Readonly<Record<string, () => boolean | undefined>> = {
  '/livez': () => health.isStarted,
  '/readyz': () => health.isReady,
}
