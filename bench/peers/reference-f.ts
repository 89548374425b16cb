import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { untrustedFields } from '@family-inbox/gateway/mcp/family/call-tool'
import { tools } from '@family-inbox/gateway/mcp/family/tools/index'
import type { Tool } from '@family-inbox/gateway/mcp/family/tools/tool'
import { answerQuestions, workerOptions } from '../measure/worker.ts'
import type { Databases } from '../world/workspace.ts'
import { type KeyOwner, openStore } from './store.ts'
import { getInboxMessage, listInboxMessages, ping, recordCall, type ToolAnswer } from './tools.ts'

/** Reference F, the floor: one process, node:http, the bare driver, and only what the answer needs. */
const store = openStore(await workerOptions<Databases>())
const toolNamed = new Map(tools.map((tool) => [tool.name as string, tool]))

const server = createServer(async (req, res) => {
  try {
    const { status, body } = await answer(req)
    res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    res.end(body)
  } catch {
    res.writeHead(500).end()
  }
})
server.listen(0, '127.0.0.1', () => answerQuestions({ port: (server.address() as AddressInfo).port }, async () => ({})))

async function answer(req: IncomingMessage): Promise<{ status: number; body: string }> {
  const { id, method, params } = await readJson(req)
  const key = /^Bearer (sk-sand-\w+)$/.exec(req.headers.authorization ?? '')?.[1]
  const owner = key === undefined ? null : await store.admit(key)
  if (owner === null) return refuse(id, key !== undefined && (await store.keyExists(key)))
  if (method !== 'tools/call') return error(200, id, -32601, 'There is no such method.')
  const started = performance.now()
  const answered = await callTool(owner, params)
  if (answered === undefined) return error(200, id, -32602, 'There is no tool with this name.')
  await recordCall(store, owner, params.name, started, answered)
  return {
    status: 200,
    body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultText(params.name, answered)}}`,
  }
}

function callTool(owner: KeyOwner, { name, arguments: given = {} }: Params): Promise<ToolAnswer> | undefined {
  if (name === 'ping') return ping(store, owner)
  const { lovedOneId, messageId, limit = 20 } = given
  if (name === 'get_inbox_message' && typeof messageId === 'string' && typeof lovedOneId === 'string')
    return getInboxMessage(store, owner, { messageId, lovedOneId })
  if (name !== 'list_inbox_messages') return undefined
  if (typeof lovedOneId !== 'string' || typeof limit !== 'number' || limit < 1 || limit > 50)
    return Promise.resolve({ refusal: 'The arguments are not valid.' })
  return listInboxMessages(store, owner, { lovedOneId, limit })
}

function resultText(name: string, answered: ToolAnswer): string {
  if ('refusal' in answered)
    return JSON.stringify({ content: [{ type: 'text', text: answered.refusal }], isError: true })
  const untrusted = untrustedFields(toolNamed.get(name) as Tool, answered.data)
  const json = JSON.stringify(untrusted === undefined ? answered.data : { untrusted, ...answered.data })
  const result = `"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}`
  return untrusted === undefined
    ? `{${result}}`
    : `{${result},"_meta":${JSON.stringify({ 'app.service/untrusted': untrusted })}}`
}

function refuse(id: unknown, isLimited: boolean) {
  return isLimited ? error(429, id, -32029, 'Too many calls.') : error(401, id, -32001, 'Unknown credential.')
}

function error(status: number, id: unknown, code: number, message: string) {
  return { status, body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }) }
}

type Params = { name: string; arguments?: { lovedOneId?: unknown; messageId?: unknown; limit?: unknown } }

async function readJson(req: IncomingMessage): Promise<{ id: unknown; method: string; params: Params }> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}
