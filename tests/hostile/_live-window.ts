import { setTimeout as sleep } from 'node:timers/promises'
import type { Guest } from '../_family.ts'

/** Opens a window with live updates, as a browser does. */
export async function listen({ stack }: Guest, cookie: string) {
  const gone = new AbortController()
  const response = await fetch(`${stack.inboxUrl}/inbox/live`, { headers: { cookie }, signal: gone.signal })
  const reader = response.body?.getReader()
  let heard = ''
  const read = async (): Promise<void> => {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
      heard += Buffer.from(next.value).toString()
  }
  read().catch(() => {})
  return {
    status: response.status,
    close: () => gone.abort(),
    /** Whether the event arrives within a few seconds. */
    async hear(event: string): Promise<boolean> {
      for (let look = 0; look < 100 && !heard.includes(event); look += 1) await sleep(50)
      return heard.includes(event)
    },
  }
}
