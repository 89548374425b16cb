import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { kill } from 'node:process'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import { isRunning, readState } from './state.ts'
import { controlGroups, removeControlGroups } from './system/control-groups.ts'
import { type Layout, NODES } from './system/layout.ts'

const END_MS = 30_000

/** Ends the cluster and removes everything it left. @returns whether it was running */
export async function down(layout: Layout): Promise<boolean> {
  const wasRunning = await isRunning(layout)
  const state = await readState(layout)
  // The kernel ends all other processes with the first one of their namespace, and unmounts what was mounted there.
  if (wasRunning && state) kill(state.pid, 'SIGKILL')
  await waitFor(async () => (hasEnded(layout) ? true : undefined), {
    timeoutMs: END_MS,
    everyMs: 50,
    timeout: () => new Error(`Some processes of the cluster in ${layout.dir} do not end`),
  })
  // Nothing of a folder that no cluster was in.
  if (existsSync(layout.programs)) await rm(layout.dir, { recursive: true, force: true, maxRetries: 5 })
  return wasRunning
}

/** A control group cannot be removed while a process is in it. */
function hasEnded({ id }: Layout): boolean {
  try {
    removeControlGroups(NODES.flatMap((node) => controlGroups(id, node)))
    return true
  } catch {
    return false
  }
}
