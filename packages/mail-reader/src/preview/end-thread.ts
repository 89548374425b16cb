import { RefusedFile } from './drawn.ts'

/** After a failure, a library written in C++ or Rust may keep memory or be unusable. An uncaught error ends its thread. */
export function endThread(error: unknown): Promise<never> {
  if (error instanceof RefusedFile) throw error
  setImmediate(() => {
    throw error
  })
  return new Promise(() => {})
}
