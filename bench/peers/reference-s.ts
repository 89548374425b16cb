import type { AddressInfo } from 'node:net'
import { untrustedFields } from '@family-inbox/gateway/mcp/family/call-tool'
import { resultSchema } from '@family-inbox/gateway/mcp/family/methods'
import { tools } from '@family-inbox/gateway/mcp/family/tools/index'
import type { Tool } from '@family-inbox/gateway/mcp/family/tools/tool'
import { createMcpExpressApp } from '@modelcontextprotocol/express'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { type AuthInfo, McpServer } from '@modelcontextprotocol/server'
import type { RequestHandler } from 'express'
import { answerQuestions, workerOptions } from '../measure/worker.ts'
import type { Databases } from '../world/workspace.ts'
import { type KeyOwner, openStore } from './store.ts'
import { getInboxMessage, listInboxMessages, ping, recordCall, type ToolAnswer } from './tools.ts'

/**
 * Reference S: the official MCP SDK as its README serves without sessions (a server and a transport per request), Express and
 * the bare driver. It has only the measured tools, with our schemas.
 */
const store = openStore(await workerOptions<Databases>())

const authenticate: RequestHandler = async (req, res, next) => {
  const key = /^Bearer (sk-sand-\w+)$/.exec(req.headers.authorization ?? '')?.[1]
  const owner = key === undefined ? null : await store.admit(key)
  if (owner !== null && key !== undefined) {
    req.auth = { token: key, clientId: owner._id, scopes: [], extra: { owner } }
    return next()
  }
  const isLimited = key !== undefined && (await store.keyExists(key))
  const error = isLimited
    ? { code: -32029, message: 'Too many calls.' }
    : { code: -32001, message: 'Unknown credential.' }
  res.status(isLimited ? 429 : 401).json({ jsonrpc: '2.0', id: null, error })
}

const app = createMcpExpressApp()
app.disable('x-powered-by').disable('etag')
app.post('/mcp/v1', authenticate, async (req, res) => {
  const server = createMcpServer()
  const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  await server.connect(transport)
  await transport.handleRequest(req, res, req.body)
})
const http = app.listen(0, '127.0.0.1', () =>
  answerQuestions({ port: (http.address() as AddressInfo).port }, async () => ({})),
)

function createMcpServer(): McpServer {
  const server = new McpServer({ name: 'reference-s', version: '1.0.0' })
  register(server, 'ping', (owner) => ping(store, owner))
  register(server, 'list_inbox_messages', (owner, input) =>
    listInboxMessages(store, owner, input as { lovedOneId: string; limit: number }),
  )
  register(server, 'get_inbox_message', (owner, input) =>
    getInboxMessage(store, owner, input as { messageId: string; lovedOneId: string }),
  )
  return server
}

type Call = (owner: KeyOwner, input: unknown) => Promise<ToolAnswer>

function register(server: McpServer, name: string, call: Call): void {
  const tool = tools.find((one) => one.name === name) as Tool
  const { title, description, input } = tool
  const annotations = { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
  const config = { title, description, inputSchema: input, outputSchema: resultSchema(tool), annotations }
  server.registerTool(name, config, async (given, { http: { authInfo } = {} }) => {
    const started = performance.now()
    const owner = ownerOf(authInfo)
    const answered = await call(owner, given)
    await recordCall(store, owner, name, started, answered)
    if ('refusal' in answered) return { content: [{ type: 'text', text: answered.refusal }], isError: true }
    const untrusted = untrustedFields(tool, answered.data)
    const data = untrusted === undefined ? answered.data : { untrusted, ...answered.data }
    return {
      content: [{ type: 'text', text: JSON.stringify(data) }],
      structuredContent: data,
      ...(untrusted && { _meta: { 'app.service/untrusted': untrusted } }),
    }
  })
}

function ownerOf(auth: AuthInfo | undefined): KeyOwner {
  return auth?.extra?.owner as KeyOwner
}
