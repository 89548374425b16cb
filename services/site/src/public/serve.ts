import type { RequestListener } from 'node:http'
import type { Config } from '../config.ts'
import { publicSecurityHeaders } from '../http/security-headers.ts'
import { answerPublic, type PublicAnswers } from './answer.ts'

/** Serves the public site. Without Express: everything is in memory, and the shortest way out is the fastest. */
export function servePublic(config: Pick<Config, 'urls'>, answers: PublicAnswers): RequestListener {
  const security = publicSecurityHeaders(config)
  return (req, res) => {
    const { accept, 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch } = req.headers
    const request = { method: req.method ?? 'GET', target: req.url ?? '/', accept, ifNoneMatch }
    const coding = Array.isArray(acceptEncoding) ? acceptEncoding.join(',') : acceptEncoding
    const { status, headers, body } = answerPublic(answers, { ...request, acceptEncoding: coding })
    req.resume()
    res.writeHead(status, { ...security, ...headers }).end(body)
  }
}
