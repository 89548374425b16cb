import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  HANDSHAKE_REVISIONS,
  SERVER_DESCRIPTION,
  STATELESS_REVISION,
  serverInfo,
} from '@family-inbox/workspace-kit/tool-catalogue'
import { code, errorEnvelope, resultEnvelope } from '../json-rpc/envelope.ts'
import { isObject } from '../json-rpc/parse-request.ts'
import type { Answer } from './answer.ts'
import { type cardResource, UI_EXTENSION } from './card/card.ts'
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
  /** What hosts of MCP Apps show with results (SEP-1865). */
  card?: ReturnType<typeof cardResource>
  /** The callers who may share a cached list: everyone, or only one. */
  cacheScope: 'public' | 'private'
  callTool: (request: Request, call: Call) => Promise<Answer>
}

/** Answers the methods of both eras, request by request. */
export function createMethods<Call>({ instructions, listed, tools, card, cacheScope, callTool }: McpServer<Call>) {
  const plain = { ...serverInfo, name: listed.name }
  const described = { ...plain, description: SERVER_DESCRIPTION, websiteUrl: listed.websiteUrl, icons }
  const caching = { ttlMs: LIST_TTL_MS, cacheScope }
  const answersFor = (capabilities: object) => ({
    initialized: new Map<unknown, string>(
      HANDSHAKE_REVISIONS.map((protocolVersion) => {
        const server = protocolVersion < DESCRIBED_SINCE ? plain : described
        return [protocolVersion, JSON.stringify({ protocolVersion, capabilities, serverInfo: server, instructions })]
      }),
    ),
    discovered: JSON.stringify({ supportedVersions: [STATELESS_REVISION], capabilities, instructions, ...caching }),
  })
  const toMost = answersFor({ tools: {} })
  const toHosts = answersFor({ tools: {}, resources: {}, extensions: { [UI_EXTENSION]: {} } })
  const answersTo = (capabilities: unknown) => (card && showsCards(capabilities) ? toHosts : toMost)
  const identity = JSON.stringify(described)
  const legacyList = JSON.stringify({ tools })
  const modernList = JSON.stringify({ tools: tools.map(withTitleOnce), ...caching })

  // After a handshake, a request does not say again what its client can show.
  const mayReadCards = ({ era, capabilities }: Request) =>
    card !== undefined && (era === 'legacy' || showsCards(capabilities))
  const cachingOf = ({ era }: Request) => (era === 'modern' ? caching : {})

  return async (request: Request, call: Call): Promise<Answer> => {
    switch (`${request.era} ${request.method}`) {
      case 'legacy initialize':
        return ok(request, answerOf(answersTo(request.params.capabilities).initialized, request.params.protocolVersion))
      case 'legacy ping':
        return ok(request, '{}')
      case 'legacy tools/list':
        return ok(request, legacyList)
      case 'modern server/discover':
        return {
          status: 200,
          body: resultEnvelope(request, answersTo(request.capabilities).discovered, { serverInfo: identity }),
        }
      case 'modern tools/list':
        return ok(request, modernList)
      case 'legacy resources/list':
      case 'modern resources/list':
        if (!mayReadCards(request)) return unknownMethod(request)
        return ok(request, JSON.stringify({ resources: [card?.described], ...cachingOf(request) }))
      case 'legacy resources/read':
      case 'modern resources/read':
        return card && mayReadCards(request) ? readResource(request, card, cachingOf(request)) : unknownMethod(request)
      case 'legacy tools/call':
      case 'modern tools/call':
        return callTool(request, call)
      default:
        return unknownMethod(request)
    }
  }
}

function answerOf(initialized: ReadonlyMap<unknown, string>, revision: unknown): string | undefined {
  return initialized.get(revision) ?? initialized.get(HANDSHAKE_REVISIONS[0])
}

/** Hosts say so for each request, or in their handshake, which others must not see: some list resources of any server that has them. */
function showsCards(capabilities: unknown): boolean {
  const { extensions } = isObject(capabilities) ? capabilities : {}
  return isObject(extensions) && isObject(extensions[UI_EXTENSION])
}

function readResource(
  request: Request,
  { described, contents }: ReturnType<typeof cardResource>,
  caching: object,
): Answer {
  const { uri } = request.params
  if (uri === described.uri) return ok(request, JSON.stringify({ contents: [contents], ...caching }))
  const body =
    typeof uri === 'string'
      ? errorEnvelope(request, code.resourceNotFound, 'There is no resource with this uri.')
      : errorEnvelope(request, code.invalidParams, 'The parameter "uri" must be a text.')
  return { status: 200, body }
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
