import { registerSharedWorker } from 'ava/plugin'

/** AVA calls this before it loads a test file: the file waits until the machine has time for it. */
export default async function awaitTurn(): Promise<void> {
  const turns = registerSharedWorker({
    filename: new URL('give-turns.ts', import.meta.url),
    supportedProtocols: ['ava-4'],
  })
  await turns.available
  for await (const _turn of turns.publish('ready').replies()) return
}
