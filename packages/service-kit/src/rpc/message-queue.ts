const CAPACITY = 4

export type MessageQueue = AsyncIterable<unknown> & {
  /** Returns a promise when the reader is behind; it settles when the reader wants more or is gone. */
  write(message: unknown): Promise<void> | undefined
  end(error?: unknown): void
  abort(error: unknown): void
}

/** Carries messages from one writer to one reader, at the reader's pace. */
export function openMessageQueue(): MessageQueue {
  const messages: unknown[] = []
  let ending: { error?: unknown } | undefined
  let change = Promise.withResolvers<void>()
  const announce = () => {
    change.resolve()
    change = Promise.withResolvers<void>()
  }

  async function waitForReader(): Promise<void> {
    while (messages.length >= CAPACITY && ending === undefined) await change.promise
  }

  return {
    write(message) {
      if (ending !== undefined) return undefined
      messages.push(message)
      announce()
      return messages.length < CAPACITY ? undefined : waitForReader()
    },
    end(error) {
      ending ??= { error }
      announce()
    },
    abort(error) {
      messages.length = 0
      ending ??= { error }
      announce()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        if (messages.length > 0) {
          const message = messages.shift()
          announce()
          yield message
        } else if (ending === undefined) await change.promise
        else if (ending.error === undefined) return
        else throw ending.error
      }
    },
  }
}
