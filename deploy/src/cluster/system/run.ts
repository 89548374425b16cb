import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'

const exec = promisify(execFile)

type Options = { env?: NodeJS.ProcessEnv; cwd?: string; timeoutMs?: number }

/** Runs a command. @returns its standard output @throws with what it printed on standard error */
export async function run([file = '', ...args]: readonly string[], { env, cwd, timeoutMs }: Options = {}) {
  const options = { ...(env && { env }), cwd, timeout: timeoutMs ?? 0, maxBuffer: 64 * 1024 * 1024 }
  return exec(file, args, options).then(({ stdout }) => stdout, failed(file, args))
}

/** The same for the first process of a namespace, which has nothing else to do meanwhile. */
export function runSync(file: string, ...args: string[]): string {
  try {
    return execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    return failed(file, args)(error as Error)
  }
}

function failed(file: string, args: readonly string[]) {
  return (error: Error & { stderr?: string | Buffer; code?: number | string }): never => {
    if (error.code === 'ENOENT') throw new Error(`${file} is not installed`)
    const said = `${error.stderr ?? ''}`.trim() || error.message
    throw new Error(`${[file, ...args].join(' ').slice(0, 200)}: ${said}`, { cause: error })
  }
}
