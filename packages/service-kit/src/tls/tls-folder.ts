import { isDeepStrictEqual } from 'node:util'
import { ConfigError, requireFiles } from '../config/config.ts'
import type { Logger } from '../observability/logger.ts'
import { gauges } from '../observability/metrics.ts'
import { findTlsFault, firstEnd, readTlsFiles, type TlsFiles } from './tls-files.ts'

/** The certificate that a folder names: the one in use, which is the last that could be used. */
export type TlsFolder = {
  /** Whether both sides show a certificate by the authority in `ca.crt`. */
  isMutual: boolean
  current(): TlsFiles
  /** Calls `use` after each renewal, until disposed. */
  onRenewal(use: () => void): Disposable
  /** Reads the files now. While anyone waits for a renewal, it happens every five seconds. */
  look(): void
}

/** The files are small and local, so each look reads them all: that finds a changed `ca.crt`, a swapped link and a restored copy alike. */
const LOOK_EVERY_MS = 5000

/** All have `tls.crt` (with its chain) and `tls.key`, in PEM. */
const FILES = {
  GRPC_TLS_DIR: ['tls.crt', 'tls.key', 'ca.crt'],
  HTTP_TLS_DIR: ['tls.crt', 'tls.key'],
  SMTP_TLS_DIR: ['tls.crt', 'tls.key'],
} as const

const watchEnd = gauges({
  name: 'certificate_end_timestamp_seconds',
  help: 'When the first certificate in use from a TLS folder ends, in seconds since 1970.',
  label: 'setting',
})

/** Keeps the certificate in use while the folder has none that can be used, and says so once. @throws ConfigError */
export function openTlsFolder(
  setting: keyof typeof FILES,
  dir: string,
  logger: Pick<Logger, 'info' | 'warn'>,
): TlsFolder {
  requireFiles(setting, dir, FILES[setting])
  const isMutual = setting === 'GRPC_TLS_DIR'
  let used = readTlsFiles(dir)
  const fault = findTlsFault(used, isMutual)
  if (fault !== undefined) throw new ConfigError(`${setting} is wrong: ${fault}`)
  let seen = { files: used, times: 1 }
  const users = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  watchEnd(setting, async () => firstEnd(used) / 1000)

  function look(): void {
    const files = readTlsFiles(dir)
    seen = { files, times: isDeepStrictEqual(files, seen.files) ? seen.times + 1 : 1 }
    if (seen.times > 2 || isDeepStrictEqual(files, used)) return
    const fault = findTlsFault(files, isMutual)
    if (fault === undefined) renew(files)
    // Certificate and key are written one after the other, so at first sight they may not fit yet.
    else if (seen.times === 2) warn(fault)
  }

  function renew(files: TlsFiles): void {
    used = files
    logger.info({ setting, end: endOf(used) }, `${setting}: the renewed certificate is in use`)
    for (const use of users) use()
  }

  function warn(fault: string): void {
    const end = endOf(used)
    const kept = `The certificate from before stays in use; it ends on ${end}.`
    logger.warn({ setting, end }, `${setting}: ${fault}. ${kept} Correct the files; no restart is needed.`)
  }

  return {
    isMutual,
    current: () => used,
    onRenewal(use) {
      users.add(use)
      timer ??= setInterval(look, LOOK_EVERY_MS).unref()
      return {
        [Symbol.dispose]() {
          users.delete(use)
          if (users.size > 0) return
          clearInterval(timer)
          timer = undefined
        },
      }
    },
    look,
  }
}

function endOf(files: TlsFiles): string {
  return new Date(firstEnd(files)).toISOString().slice(0, 10)
}
