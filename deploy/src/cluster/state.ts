import { readFile } from 'node:fs/promises'
import { isRunning as isProcessRunning } from '@family-inbox/local-stack/process-list'
import type { StackProcess } from '@family-inbox/local-stack/stack-file'
import type { Layout } from './system/layout.ts'

/** The process whose end ends the cluster. */
export type State = StackProcess

export async function readState({ state }: Layout): Promise<State | undefined> {
  return readFile(state, 'utf8').then(JSON.parse, () => undefined)
}

export async function isRunning(layout: Layout): Promise<boolean> {
  const state = await readState(layout)
  return state !== undefined && (await isProcessRunning(state))
}
