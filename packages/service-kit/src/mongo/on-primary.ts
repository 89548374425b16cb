/**
 * With these the server says that it is not, or no longer, the primary:
 * https://github.com/mongodb/specifications/blob/master/source/server-discovery-and-monitoring/server-discovery-and-monitoring.md#not-writable-primary-and-node-is-recovering
 */
const NOT_PRIMARY: ReadonlySet<unknown> = new Set([
  91, // ShutdownInProgress
  189, // PrimarySteppedDown
  10_058, // LegacyNotPrimary
  10_107, // NotWritablePrimary
  11_600, // InterruptedAtShutdown
  11_602, // InterruptedDueToReplStateChange
  13_435, // NotPrimaryNoSecondaryOk
  13_436, // NotPrimaryOrSecondary
])

/**
 * Sends a bare command, and once more if another server became the primary meanwhile: the driver, which now knows, waits for that one.
 * It does so itself for other writes. A command may rarely have happened before it was interrupted, so only what may happen twice is sent like this.
 */
export async function onPrimary<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!NOT_PRIMARY.has((error as { code?: unknown }).code)) throw error
    return send()
  }
}
