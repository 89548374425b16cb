import type { RequestListener } from 'node:http'
import type { Assets } from '../assets/assets.ts'
import type { Config } from '../config.ts'
import { publicSecurityHeaders } from '../shell/security-headers.ts'
import { errorObject } from './errors.ts'

type File = { type: string; bytes: Buffer }

const ROBOTS = 'User-agent: *\nDisallow: /\n'
const NOT_FOUND: File = {
  type: 'application/json; charset=utf-8',
  bytes: Buffer.from(
    errorObject('not_found', {
      title: 'Not found',
      message: 'There is nothing at this address.',
      hint: 'This installation has no public pages. Sign in at the address of its application.',
    }),
  ),
}

/** What is left at the public address while the public site is off: the way to sign in, and the icons that clients of the tool server show. */
export function serveHiddenSite({ urls }: Pick<Config, 'urls'>, assets: Assets): RequestListener {
  const security = publicSecurityHeaders({ urls })
  const files = new Map<string, File>([
    ['/robots.txt', { type: 'text/plain; charset=utf-8', bytes: Buffer.from(ROBOTS) }],
    ['/icon-512.png', toFile(assets.icon512)],
    ['/favicon.ico', toFile(assets.icon192)],
  ])
  return (req, res) => {
    const [path = ''] = (req.url ?? '').split('?', 1)
    const isRead = req.method === 'GET' || req.method === 'HEAD'
    const file = isRead ? files.get(path) : undefined
    req.resume()
    if (path === '/' && isRead)
      return void res.writeHead(302, { ...security, 'Cache-Control': 'no-store', Location: `${urls.inbox}/` }).end()
    const { type, bytes } = file ?? NOT_FOUND
    const headers = { 'Content-Type': type, 'Content-Length': bytes.length, 'Cache-Control': 'no-store' }
    res.writeHead(file ? 200 : 404, { ...security, ...headers }).end(req.method === 'HEAD' ? undefined : bytes)
  }
}

function toFile({ type, content }: Assets['icon512']): File {
  return { type, bytes: content.identity.bytes }
}
