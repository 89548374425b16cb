import { spawn } from 'node:child_process'

/** Ends what this process started, should this process itself be killed before it could. */
export type Guard = {
  /** The processes to end; each call replaces the list of the one before. */
  protect(pids: readonly number[]): void
  /** Everything was stopped in order: nothing is left to do. */
  dismiss(): void
}

// The pipe closes by itself when its writer dies, whatever it dies of.
const SCRIPT = `
trap '' INT TERM HUP
while read -r line; do pids=$line; done
[ -n "$pids" ] || exit 0
kill -TERM $pids; kill -CONT $pids
sleep 5
kill -KILL $pids
`

/** Starts the guard: one sleeping shell a stack. */
export function startGuard(): Guard {
  const shell = spawn('/bin/sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  shell.stdin.on('error', () => {})
  shell.unref()
  return {
    protect: (pids) => void shell.stdin.write(`${pids.join(' ')}\n`),
    dismiss: () => void shell.stdin.end('\n'),
  }
}
