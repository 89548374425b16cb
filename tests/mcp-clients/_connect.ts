import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { ClientName } from './_clients.ts'
import { fetchPackage, type PackageName, runWith, whyLacking } from './_packages.ts'

/** Where a client connects, and in which mode; without a key and a loved one at the sandbox endpoint. */
export type Job = { url: string; key: string; lovedOneId: string; mode: string }
/** The names of the tools, and the subjects of the mail it read. */
export type Seen = { tools: string[]; subjects?: string[] }
/** Does all jobs, in one process where the client is a program: most of its time is its start. */
type Driver = (jobs: Job[]) => Promise<Seen[]>

const DRIVERS = join(import.meta.dirname, 'drivers')

export const CONNECT: Record<ClientName, Driver> = {
  'TypeScript SDK 1.32.2': inTurn(typescript1),
  'TypeScript SDK 2.4.0': inTurn(typescript2),
  'Python SDK 1.30.0': async (jobs) => python('python_1.py', await fetchPackage('Python SDK 1'), jobs),
  'Python SDK 2.3.0': async (jobs) => python('python_2.py', await fetchPackage('Python SDK 2'), jobs, 'mcp'),
  'FastMCP 4.1.2': async (jobs) => python('python_2.py', await fetchPackage('fastmcp'), jobs, 'fastmcp'),
  'Go SDK 1.8.0': async (jobs) => runWith(await fetchPackage('Go SDK and mcp-go'), ['go-sdk'], jobs),
  'mcp-go 1.2.1': async (jobs) => runWith(await fetchPackage('Go SDK and mcp-go'), ['mcp-go'], jobs),
  'Rust SDK (rmcp) 3.9.0': async (jobs) => runWith(await fetchPackage('rmcp'), [], jobs),
  'LangChain MCP adapters 0.3.2 (Python)': async (jobs) =>
    python('frameworks.py', await fetchPackage('langchain-mcp-adapters'), jobs, 'langchain'),
  'OpenAI Agents 0.24.0 (Python)': async (jobs) =>
    python('frameworks.py', await fetchPackage('openai-agents'), jobs, 'agents'),
  'AI SDK (@ai-sdk/mcp) 2.0.99': inTurn(aiSdk),
  'Inspector 2.12.0 (--cli --transport http)': inTurn(inspector),
  'mcp-remote 0.15.1': inTurn(mcpRemote),
}

/** What a client needs from a registry or a compiler. */
const NEEDS: Partial<Record<ClientName, PackageName>> = {
  'Python SDK 1.30.0': 'Python SDK 1',
  'Python SDK 2.3.0': 'Python SDK 2',
  'FastMCP 4.1.2': 'fastmcp',
  'Go SDK 1.8.0': 'Go SDK and mcp-go',
  'mcp-go 1.2.1': 'Go SDK and mcp-go',
  'Rust SDK (rmcp) 3.9.0': 'rmcp',
  'LangChain MCP adapters 0.3.2 (Python)': 'langchain-mcp-adapters',
  'OpenAI Agents 0.24.0 (Python)': 'openai-agents',
  'AI SDK (@ai-sdk/mcp) 2.0.99': 'AI SDK',
  'Inspector 2.12.0 (--cli --transport http)': 'Inspector',
}

/** Why a client cannot run on this machine, if it cannot. */
export function whyNot(client: ClientName): string | undefined {
  const need = NEEDS[client]
  return need && whyLacking(need)
}

function inTurn(connect: (job: Job) => Promise<Seen>): Driver {
  return async (jobs) => {
    const seen: Seen[] = []
    for (const job of jobs) seen.push(await connect(job))
    return seen
  }
}

export function bearer(key: string): Record<string, string> {
  return key === '' ? {} : { authorization: `Bearer ${key}` }
}

/** A search, so that every client sends text and a boolean. */
const SEARCH = { query: 'INR', hasAttachment: true }
const SEARCH_ARGS = Object.entries(SEARCH).flatMap(([name, value]) => ['--tool-arg', `${name}=${value}`])

type Listing = { listTools(): Promise<{ tools: { name: string }[] }> }
type Calling = { callTool(call: { name: string; arguments: object }): Promise<{ structuredContent?: unknown }> }

async function look(client: Listing & Calling, lovedOneId: string): Promise<Seen> {
  const tools = (await client.listTools()).tools.map(({ name }) => name)
  if (lovedOneId === '') return { tools }
  const { structuredContent } = await client.callTool({
    name: 'list_inbox_messages',
    arguments: { lovedOneId, ...SEARCH },
  })
  return { tools, subjects: subjectsOf(structuredContent) }
}

function subjectsOf(structuredContent: unknown): string[] {
  return (structuredContent as { messages: { subject: string }[] }).messages.map(({ subject }) => subject)
}

async function typescript1({ url, key, lovedOneId }: Job): Promise<Seen> {
  const client = new OldClient({ name: 'test', version: '1' })
  await client.connect(new OldTransport(new URL(url), { requestInit: { headers: bearer(key) } }))
  const seen = await look(client as Listing & Calling, lovedOneId)
  await client.close()
  return seen
}

async function typescript2({ url, key, lovedOneId, mode }: Job): Promise<Seen> {
  const chosen = { default: 'legacy', auto: 'auto', pinned: { pin: '2026-07-28' } } as const
  const versionNegotiation = { mode: chosen[mode as keyof typeof chosen] }
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: bearer(key) } }))
  const seen = await look(client as Listing & Calling, lovedOneId)
  await client.close()
  return seen
}

async function python(script: string, PYTHONPATH: string, jobs: Job[], library = ''): Promise<Seen[]> {
  return runWith('python3', [join(DRIVERS, script), library], jobs, { PYTHONPATH })
}

type AiTool = { execute(input: object, options: object): Promise<{ structuredContent?: unknown }> }

export async function importAiSdk() {
  return import(join(await fetchPackage('AI SDK'), 'dist/index.js'))
}

async function aiSdk({ url, key, lovedOneId }: Job): Promise<Seen> {
  const { createMCPClient } = await importAiSdk()
  const client = await createMCPClient({ transport: { type: 'http', url, headers: bearer(key) } })
  const tools: Record<string, AiTool> = await client.tools()
  const options = { toolCallId: 'call_1', messages: [] }
  const mail =
    lovedOneId === '' ? undefined : await tools.list_inbox_messages?.execute({ lovedOneId, ...SEARCH }, options)
  await client.close()
  return { tools: Object.keys(tools), ...(mail && { subjects: subjectsOf(mail.structuredContent) }) }
}

/** The arguments that start the Inspector's command line. */
export async function inspectorProgram(): Promise<string[]> {
  const folder = await fetchPackage('Inspector')
  const { bin } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  return [join(folder, bin.inspector), '--cli']
}

async function inspector({ url, key, lovedOneId, mode }: Job): Promise<Seen> {
  const program = await inspectorProgram()
  const era = mode === 'default' ? [] : mode.split(' ')
  const header = key === '' ? [] : ['--header', `Authorization: Bearer ${key}`]
  const ask = (...method: string[]) =>
    runWith(process.execPath, [...program, url, '--transport', 'http', ...era, '--method', ...method, ...header])
  const { tools } = await ask('tools/list')
  const names = tools.map(({ name }: { name: string }) => name)
  if (mode !== 'default' || lovedOneId === '') return { tools: names }
  const call = [
    'tools/call',
    '--tool-name',
    'list_inbox_messages',
    '--tool-arg',
    `lovedOneId=${lovedOneId}`,
    ...SEARCH_ARGS,
  ]
  return { tools: names, subjects: subjectsOf((await ask(...call)).structuredContent) }
}

export const MCP_REMOTE = join(import.meta.dirname, '../node_modules/mcp-remote/dist/proxy.js')

async function mcpRemote({ url, key, lovedOneId }: Job): Promise<Seen> {
  const header = key === '' ? [] : ['--header', `Authorization: Bearer ${key}`]
  const args = [MCP_REMOTE, url, '--transport', 'http-only', ...header]
  const client = new OldClient({ name: 'test', version: '1' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }))
  const seen = await look(client as Listing & Calling, lovedOneId)
  await client.close()
  return seen
}
