import { runOps } from '@family-inbox/ops/run-ops'
import type { SharedStack } from '../_shared-stack.ts'

export type OpsAnswer = {
  code: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of every shape
  json: any
  stderr: string
}

/** Runs the operator command and parses its line of JSON. */
export async function ops(
  { dataDir }: SharedStack,
  args: string[],
  env: Record<string, string> = {},
): Promise<OpsAnswer> {
  let stdout = ''
  let stderr = ''
  const code = await runOps([...args, '--json'], {
    env: { DATA_DIR: dataDir, ...env },
    out: (text) => {
      stdout += text
    },
    err: (text) => {
      stderr += text
    },
  })
  return { code, json: stdout.startsWith('{') ? JSON.parse(stdout) : undefined, stderr }
}
