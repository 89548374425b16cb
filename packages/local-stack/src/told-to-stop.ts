// Ctrl-C reaches this process twice when npm passes it on as well: only a later one means "now".
const IMPATIENT_AFTER_MS = 1000

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP, or when the process that started this one is gone.
 * @param hurry called when somebody asks again because it takes too long
 */
export function untilToldToStop(hurry: () => Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    let toldAt: number | undefined
    const tell = () => {
      toldAt ??= Date.now()
      resolve()
      if (Date.now() - toldAt > IMPATIENT_AFTER_MS) void hurry()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, tell)
    process.on('disconnect', tell)
    // Nobody reads the lines any more when the terminal is closed; that is no reason to stop halfway.
    process.stdout.on('error', () => {})
  })
}
