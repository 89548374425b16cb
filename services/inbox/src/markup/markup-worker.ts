import { parentPort } from 'node:worker_threads'
import { renderMarkup } from './render-markup.ts'

parentPort?.on('message', (raw: Uint8Array) => {
  parentPort?.postMessage(renderMarkup(raw))
})
