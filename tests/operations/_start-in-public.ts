import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '@family-inbox/local-stack/free-port'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { readUntil } from '../_wait.ts'

export type Where = { dataDir: string; port: number; smtpUrl: string; env?: Record<string, string> }

export type PublicStart = AsyncDisposable & {
  output(): string
  /** @returns what it printed until then @throws with that when it ends before */
  untilReady(): Promise<string>
  /** @returns its exit code, null for a signal */
  ended(): Promise<number | null>
  kill(): void
}

/** `npm start` at public addresses, all on one port of this machine. */
export async function startInPublic({ dataDir, port, smtpUrl, env: more }: Where): Promise<PublicStart> {
  const at = (host: string) => `http://${host}:${port}`
  const env = {
    ...readEnvironment(),
    DATA_DIR: dataDir,
    PORT: `${port}`,
    BASE_URL: at('family.example'),
    API_URL: at('api.family.example'),
    INBOX_URL: at('inbox.family.example'),
    SMTP_PORT: `${await freePort()}`,
    SMTP_URL: smtpUrl,
    FAMILY_INBOX_SENDER_ADDRESS: 'care@family.example',
    DKIM_SELECTOR: 'inbox',
    OPERATOR_NAME: 'The Silva family',
    OPERATOR_CONTACT: 'ana@silva.example',
    OPERATOR_COUNTRY: 'Portugal',
    ...more,
  }
  const started = spawn(process.execPath, [join(REPOSITORY, 'packages/local-stack/src/start.ts'), '--single'], { env })
  let output = ''
  for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ended = once(started, 'close').then(([code]) => code as number | null)
  const isOver = () => started.exitCode !== null || started.signalCode !== null
  return {
    output: () => output,
    async untilReady() {
      await readUntil(
        async () => output,
        (text) => /^ready in /m.test(text) || isOver(),
      )
      if (isOver()) throw new Error(`it ended:\n${output}`)
      return output
    },
    ended: () => ended,
    kill: () => void started.kill('SIGKILL'),
    async [Symbol.asyncDispose]() {
      started.kill('SIGTERM')
      await ended
    },
  }
}
