import { spawn } from 'node:child_process'

/** Ends the stack's processes if this process is killed. */
export type Reaper = {
  watch(pids: readonly number[]): void
  dismiss(): void
}

// The pipe closes when its writer dies, however it dies.
const SCRIPT = `
trap '' INT TERM HUP
while read -r line; do pids=$line; done
[ -n "$pids" ] || exit 0
kill -TERM $pids; kill -CONT $pids
sleep 5
kill -KILL $pids
`

/** Starts the reaper: one sleeping shell per stack. */
export function startReaper(): Reaper {
  const shell = spawn('/bin/sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  shell.stdin.on('error', () => {})
  shell.unref()
  return {
    watch: (pids) => void shell.stdin.write(`${pids.join(' ')}\n`),
    dismiss: () => void shell.stdin.end('\n'),
  }
}
