import type { IncomingMessage, Server, ServerResponse } from 'node:http'

const CHECK_MS = 2000
/** For a body, with its headers. */
const BODY_MS = 15_000
/** An upload may take longer while at least this much has come: a phone in the country sends more. */
const UPLOAD_BYTES_PER_MS = 16

type Open = { startedAt: number; bytesBefore: number; isUpload: boolean }

/**
 * Ends requests whose body comes too slowly, without an answer. Node.js has one time limit for all requests
 * (`requestTimeout`), and no phone could send 20 MB within it.
 * @param isUpload whether a request gets more time as it makes progress
 * @returns a function that watches a request
 */
export function limitBodyTime(
  server: Server,
  isUpload: (req: IncomingMessage) => boolean,
): (req: IncomingMessage, res: ServerResponse) => void {
  const open = new Map<IncomingMessage, Open>()
  let timer: NodeJS.Timeout | undefined
  const check = () => {
    for (const [req, request] of open) {
      if (req.complete) open.delete(req)
      else if (isTooSlow(req, request)) {
        open.delete(req)
        req.socket.destroy()
      }
    }
    timer = open.size === 0 ? undefined : setTimeout(check, CHECK_MS).unref()
  }
  server.once('close', () => clearTimeout(timer))
  return (req, res) => {
    open.set(req, { startedAt: Date.now(), bytesBefore: req.socket.bytesRead, isUpload: isUpload(req) })
    res.once('close', () => open.delete(req))
    timer ??= setTimeout(check, CHECK_MS).unref()
  }
}

function isTooSlow({ socket }: IncomingMessage, { startedAt, bytesBefore, isUpload }: Open): boolean {
  const allowedMs = BODY_MS + (isUpload ? (socket.bytesRead - bytesBefore) / UPLOAD_BYTES_PER_MS : 0)
  return Date.now() - startedAt > allowedMs
}
