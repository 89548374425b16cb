import { parentPort } from 'node:worker_threads'
import { type Envelope, parseMessage } from './parse-message.ts'

export type ParseTask = { raw: Uint8Array; envelope: Envelope }

// A parser fault ends the thread, which is how the pool notices.
parentPort?.on('message', async ({ raw, envelope }: ParseTask) => {
  parentPort?.postMessage(await parseMessage(raw, envelope))
})
