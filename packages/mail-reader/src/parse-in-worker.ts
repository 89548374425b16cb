import { type Envelope, fallbackMessage, type ParseTask, parsePlainMessage } from './parse-message.ts'
import type { ParsedMessage } from './parsed-message.ts'
import { createWorkerPool } from './worker-pool.ts'

type MessageParserOptions = {
  timeoutMs?: number
  maxWorkers?: number
  maxWorkersPerOwner?: number
}

export type MessageParser = AsyncDisposable & {
  /** A timeout, memory exhaustion or parser fault becomes a `fallbackMessage`. Rejects only after disposal. */
  parse(raw: Uint8Array, envelope?: Envelope, owner?: string): Promise<ParsedMessage>
}

/** Below this size and without HTML, parsing takes a few milliseconds at worst. */
const MAX_INLINE_BYTES = 64 * 1024

const IDLE_MS = 60_000
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

export function createMessageParser({
  timeoutMs = 10_000,
  maxWorkers = 1,
  ...options
}: MessageParserOptions = {}): MessageParser {
  const pool = createWorkerPool<ParseTask, ParsedMessage>({
    module: new URL('./parse-message.ts', import.meta.url),
    task: 'runParseTask',
    maxWorkers,
    maxWorkersPerOwner: options.maxWorkersPerOwner ?? maxWorkers,
    timeoutMs,
    idleMs: IDLE_MS,
    resourceLimits: RESOURCE_LIMITS,
  })
  let disposed = false

  function parseInPool(raw: Uint8Array, envelope: Envelope, owner: string): Promise<ParsedMessage> {
    const copy = new Uint8Array(raw)
    return pool.run(owner, { raw: copy, envelope }, [copy.buffer])
  }

  async function parse(raw: Uint8Array, envelope: Envelope = {}, owner = ''): Promise<ParsedMessage> {
    try {
      return parseInline(raw, envelope) ?? (await parseInPool(raw, envelope, owner))
    } catch (error) {
      if (disposed) throw error
      return fallbackMessage(raw)
    }
  }

  async function dispose() {
    disposed = true
    await pool[Symbol.asyncDispose]()
  }

  return { parse, [Symbol.asyncDispose]: dispose }
}

function parseInline(raw: Uint8Array, envelope: Envelope): ParsedMessage | undefined {
  return raw.length > MAX_INLINE_BYTES ? undefined : parsePlainMessage(raw, envelope)
}
