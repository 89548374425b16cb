import type { Guest } from './_family.ts'
import { becomesTrue } from './_wait.ts'

const HEARD_WITHIN_MS = 5000

/**
 * Opens a window with live updates, as a browser does.
 * @param since when its list was read
 */
export async function listen({ stack }: Guest, cookie: string, since = '') {
  const gone = new AbortController()
  const response = await fetch(`${stack.inboxUrl}/inbox/live?since=${since}`, {
    headers: { cookie },
    signal: gone.signal,
  })
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
    /** Whether the event has arrived. */
    hasHeard: (event: string) => heard.includes(event),
    /** Whether the event arrives within a few seconds. */
    async hear(event: string): Promise<boolean> {
      return becomesTrue(async () => heard.includes(event), HEARD_WITHIN_MS)
    },
  }
}
