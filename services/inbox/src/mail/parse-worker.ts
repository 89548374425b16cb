import { parentPort } from 'node:worker_threads'
import { type Envelope, parseMessage } from './parse-message.ts'

export type ParseTask = { raw: Uint8Array; envelope: Envelope }

// Runs in a worker thread of `createMessageParser`. A fault of the parser ends the thread, which is how the pool learns of it.
parentPort?.on('message', async ({ raw, envelope }: ParseTask) => {
  parentPort?.postMessage(await parseMessage(raw, envelope))
})
