import { fallbackMessage, type ParseHints, parsePlainMessage } from '../parse-message.ts'
import type { ParsedMessage } from '../parsed-message.ts'
import type { ReaderPool } from './reader-pool.ts'

export type MessageParser = {
  /** A timeout, memory exhaustion or parser fault becomes a `fallbackMessage`. Rejects only after the pool's disposal. */
  parse(raw: Uint8Array, hints?: ParseHints, owner?: string): Promise<ParsedMessage>
}

/** Below this size and without HTML, parsing takes a few milliseconds at worst. */
const MAX_INLINE_BYTES = 64 * 1024

export function createMessageParser(pool: ReaderPool): MessageParser {
  function parseInPool(raw: Uint8Array, hints: ParseHints, owner: string): Promise<ParsedMessage> {
    const copy = new Uint8Array(raw)
    return pool.run('parse', owner, { raw: copy, hints }, [copy.buffer])
  }

  return {
    async parse(raw, envelope = {}, owner = '') {
      try {
        return parseInline(raw, envelope) ?? (await parseInPool(raw, envelope, owner))
      } catch (error) {
        if (pool.isDisposed) throw error
        return fallbackMessage(raw)
      }
    },
  }
}

function parseInline(raw: Uint8Array, hints: ParseHints): ParsedMessage | undefined {
  return raw.length > MAX_INLINE_BYTES ? undefined : parsePlainMessage(raw, hints)
}
