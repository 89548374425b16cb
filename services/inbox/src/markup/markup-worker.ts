import { parentPort } from 'node:worker_threads'
import { renderMarkup } from './render-markup.ts'

// Runs in a worker thread of `createMarkupRenderer`: whatever a mail does to the sanitizer happens here, and for a bounded time.
parentPort?.on('message', (raw: Uint8Array) => {
  parentPort?.postMessage(renderMarkup(raw))
})
