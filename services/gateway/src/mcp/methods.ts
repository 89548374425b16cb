import { HANDSHAKE_REVISIONS, STATELESS_REVISION, serverInfo } from '@family-inbox/workspace-kit/tool-catalogue'
import { code, errorEnvelope, resultEnvelope } from '../json-rpc/envelope.ts'
import type { Answer } from './answer.ts'
import type { Request } from './read-message.ts'

/** Tools change only with a release. */
const LIST_TTL_MS = 60 * 60 * 1000

type McpServer<Call> = {
  instructions: string
  tools: readonly object[]
  /** Who may share a cached list: everyone, or one caller. */
  cacheScope: 'public' | 'private'
  callTool: (request: Request, call: Call) => Promise<Answer>
}

/** Answers the methods of both eras, request by request. */
export function createMethods<Call>({ instructions, tools, cacheScope, callTool }: McpServer<Call>) {
  const capabilities = { tools: {} }
  const initialized = new Map<unknown, string>(
    HANDSHAKE_REVISIONS.map((protocolVersion) => [
      protocolVersion,
      JSON.stringify({ protocolVersion, capabilities, serverInfo, instructions }),
    ]),
  )
  const caching = { ttlMs: LIST_TTL_MS, cacheScope }
  const discovered = JSON.stringify({
    supportedVersions: [STATELESS_REVISION],
    capabilities,
    instructions,
    ...caching,
  })
  const legacyList = JSON.stringify({ tools })
  const modernList = JSON.stringify({ tools, ...caching })

  return async (request: Request, call: Call): Promise<Answer> => {
    switch (`${request.era} ${request.method}`) {
      case 'legacy initialize':
        return ok(request, initialized.get(request.params.protocolVersion) ?? initialized.get(HANDSHAKE_REVISIONS[0]))
      case 'legacy ping':
        return ok(request, '{}')
      case 'legacy tools/list':
        return ok(request, legacyList)
      case 'modern server/discover':
        return ok(request, discovered)
      case 'modern tools/list':
        return ok(request, modernList)
      case 'legacy tools/call':
      case 'modern tools/call':
        return callTool(request, call)
      default:
        return unknownMethod(request)
    }
  }
}

function ok(request: Request, result = '{}'): Answer {
  return { status: 200, body: resultEnvelope(request, result) }
}

/** A 404 makes older clients look for another transport, so only modern ones get it. */
function unknownMethod(request: Request): Answer {
  return request.era === 'modern'
    ? { status: 404, body: errorEnvelope(request, code.methodNotFound, MODERN_METHODS) }
    : { status: 200, body: errorEnvelope(request, code.methodNotFound, LEGACY_METHODS) }
}

const LEGACY_METHODS = 'Unknown method. This server has initialize, tools/list, tools/call and ping.'
const MODERN_METHODS = 'Unknown method. This server has server/discover, tools/list and tools/call.'
