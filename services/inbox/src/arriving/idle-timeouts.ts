type IdleTimeouts = {
  /** Starts the time of a connection. */
  begin(connectionId: string): void
  end(connectionId: string): void
}

/** Calls `expire` when a connection's time has passed without an end. */
export function createIdleTimeouts(ms: number, expire: (connectionId: string) => void): IdleTimeouts {
  const timers = new Map<string, NodeJS.Timeout>()
  const end = (id: string) => {
    clearTimeout(timers.get(id))
    timers.delete(id)
  }
  return {
    begin(id) {
      end(id)
      timers.set(id, setTimeout(expire, ms, id).unref())
    },
    end,
  }
}
