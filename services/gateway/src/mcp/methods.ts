import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  HANDSHAKE_REVISIONS,
  SERVER_DESCRIPTION,
  STATELESS_REVISION,
  serverInfo,
} from '@family-inbox/workspace-kit/tool-catalogue'
import { code, errorEnvelope, resultEnvelope } from '../json-rpc/envelope.ts'
import type { Answer } from './answer.ts'
import type { describeTool } from './describe-tool.ts'
import type { Request } from './read-message.ts'

/** Tools change only with a release. */
const LIST_TTL_MS = 60 * 60 * 1000

/** In the answer itself, since clients fetch icons from https only. Tools have none: every model would read them. */
const icons = [
  {
    src: `data:image/png;base64,${readFileSync(join(import.meta.dirname, 'icon-48.png'), 'base64')}`,
    mimeType: 'image/png',
    sizes: ['48x48'],
  },
]
/** The first revision with icons, a description and a website. */
const DESCRIBED_SINCE = '2025-11-25'

type McpServer<Call> = {
  instructions: string
  /** The name in directories, and the site. */
  listed: { name: string; websiteUrl: string }
  tools: readonly ReturnType<typeof describeTool>[]
  /** The callers who may share a cached list: everyone, or only one. */
  cacheScope: 'public' | 'private'
  callTool: (request: Request, call: Call) => Promise<Answer>
}

/** Answers the methods of both eras, request by request. */
export function createMethods<Call>({ instructions, listed, tools, cacheScope, callTool }: McpServer<Call>) {
  const capabilities = { tools: {} }
  const plain = { ...serverInfo, name: listed.name }
  const described = { ...plain, description: SERVER_DESCRIPTION, websiteUrl: listed.websiteUrl, icons }
  const initialized = new Map<unknown, string>(
    HANDSHAKE_REVISIONS.map((protocolVersion) => [
      protocolVersion,
      JSON.stringify({
        protocolVersion,
        capabilities,
        serverInfo: protocolVersion < DESCRIBED_SINCE ? plain : described,
        instructions,
      }),
    ]),
  )
  const caching = { ttlMs: LIST_TTL_MS, cacheScope }
  const discovered = JSON.stringify({
    supportedVersions: [STATELESS_REVISION],
    capabilities,
    instructions,
    ...caching,
  })
  const identity = JSON.stringify(described)
  const legacyList = JSON.stringify({ tools })
  const modernList = JSON.stringify({ tools: tools.map(withTitleOnce), ...caching })

  return async (request: Request, call: Call): Promise<Answer> => {
    switch (`${request.era} ${request.method}`) {
      case 'legacy initialize':
        return ok(request, initialized.get(request.params.protocolVersion) ?? initialized.get(HANDSHAKE_REVISIONS[0]))
      case 'legacy ping':
        return ok(request, '{}')
      case 'legacy tools/list':
        return ok(request, legacyList)
      case 'modern server/discover':
        return { status: 200, body: resultEnvelope(request, discovered, { serverInfo: identity }) }
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

/** Clients before 2025-06-18 read the title of a tool from its annotations. */
function withTitleOnce({ annotations: { title: _, ...annotations }, ...tool }: ReturnType<typeof describeTool>) {
  return { ...tool, annotations }
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
