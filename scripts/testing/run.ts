import { spawn } from 'node:child_process'

/** Runs a program and collects what it prints. @param show gets each piece as it comes */
export function run(
  cwd: string,
  file: string,
  args: string[],
  show: (chunk: Buffer) => void = () => {},
  added: NodeJS.ProcessEnv = {},
): Promise<{ code: number; output: string }> {
  const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
  const env = { ...process.env, ...colour, ...added }
  const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], env })
  return new Promise((resolve, reject) => {
    let output = ''
    const collect = (chunk: Buffer) => {
      show(chunk)
      output += chunk
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** For what tests can be run without: those that need it fail with the same message. */
export function sayError(error: Error): undefined {
  say(error.message)
}
