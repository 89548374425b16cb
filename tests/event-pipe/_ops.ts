import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Stack } from '@family-inbox/local-stack/run-stack'

const MAIN = join(import.meta.dirname, '../../packages/ops/src/main.ts')

export type OpsAnswer = {
  code: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any
  stderr: string
}

/** Runs the operator command on a stack, as a person types it, and reads its one line of JSON. */
export async function ops({ dataDir }: Stack, args: string[], env: Record<string, string> = {}): Promise<OpsAnswer> {
  const options = { env: { PATH: process.env.PATH, DATA_DIR: dataDir, ...env } }
  const { stdout, stderr, code } = await promisify(execFile)(process.execPath, [MAIN, ...args, '--json'], options).then(
    (done) => ({ ...done, code: 0 }),
    (failed) => failed as { stdout: string; stderr: string; code: number },
  )
  return { code, json: stdout.startsWith('{') ? JSON.parse(stdout) : undefined, stderr }
}
