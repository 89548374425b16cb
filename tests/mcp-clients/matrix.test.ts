import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'
import { fetchNode, fetchPython } from './_packages.ts'
import { startProxy } from './_proxy.ts'

const test = anyTest as TestFn<{ f: Guest }>
const run = promisify(execFile)
const NEWEST = '2026-07-28'

/** Where a client connects; without a key and a loved one at the sandbox endpoint. */
type Server = { url: string; key: string; lovedOneId: string }
/** The names of the tools, and the subjects of the mail it read. */
type Seen = { tools: string[]; subjects?: string[] }
type Row = { client: string; mode: string; revision: string; connect: (server: Server) => Promise<Seen> }

const ROWS: Row[] = [
  { client: 'TypeScript SDK 1.32.2', mode: 'default', revision: '2025-11-25', connect: typescript1 },
  {
    client: 'TypeScript SDK 2.4.0',
    mode: 'default',
    revision: '2025-11-25',
    connect: (at) => typescript2(at, 'legacy'),
  },
  { client: 'TypeScript SDK 2.4.0', mode: 'auto', revision: NEWEST, connect: (at) => typescript2(at, 'auto') },
  {
    client: 'TypeScript SDK 2.4.0',
    mode: 'pinned',
    revision: NEWEST,
    connect: (at) => typescript2(at, { pin: NEWEST }),
  },
  { client: 'Python SDK 1.30.0', mode: 'default', revision: '2025-11-25', connect: python1 },
  { client: 'Python SDK 2.3.0', mode: 'legacy', revision: '2025-11-25', connect: (at) => python2(at, 'mcp', 'legacy') },
  { client: 'Python SDK 2.3.0', mode: 'default', revision: NEWEST, connect: (at) => python2(at, 'mcp', 'auto') },
  { client: 'Python SDK 2.3.0', mode: 'pinned', revision: NEWEST, connect: (at) => python2(at, 'mcp', NEWEST) },
  {
    client: 'FastMCP 4.1.2',
    mode: 'legacy',
    revision: '2025-11-25',
    connect: (at) => python2(at, 'fastmcp', 'legacy'),
  },
  { client: 'FastMCP 4.1.2', mode: 'default', revision: NEWEST, connect: (at) => python2(at, 'fastmcp', 'auto') },
  { client: 'FastMCP 4.1.2', mode: 'pinned', revision: NEWEST, connect: (at) => python2(at, 'fastmcp', NEWEST) },
  { client: 'Inspector 2.12.0', mode: '--cli --transport http', revision: '2025-11-25', connect: inspector },
  { client: 'mcp-remote 0.15.1', mode: 'default', revision: '2025-11-25', connect: mcpRemote },
]

test.before(async (t) => {
  t.context = { f: await joinFamily() }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

for (const { client, mode, revision, connect } of ROWS)
  test.serial(`${client} (${mode}) connects at every address and speaks ${revision}`, async (t) => {
    t.timeout(300_000)
    const { stack, family } = t.context.f
    const [key, lovedOneId] = [family.keys.viewer, family.lovedOnes[0]?.id ?? '']
    const servers: [url: string, key: string, lovedOneId: string, tools: number][] = [
      [`${stack.apiUrl}/mcp/v1`, key, lovedOneId, 10],
      [`${stack.inboxUrl}/api/mcp`, key, lovedOneId, 10],
      [`${stack.inboxUrl}/api/mcp/public`, '', '', 1],
    ]
    for (const [address, ownKey, ownLovedOne, tools] of servers) {
      await using proxy = await startProxy(address)
      const seen = await connect({ url: proxy.url, key: ownKey, lovedOneId: ownLovedOne })
      t.is(seen.tools.length, tools, address)
      t.is(proxy.revisions.at(-1), revision, address)
      if (seen.subjects !== undefined) t.true(seen.subjects.includes('Your lab results are ready'), address)
    }
  })

test('the table in docs/agents.md lists these clients', async (t) => {
  const text = await readFile(join(import.meta.dirname, '../../docs/agents.md'), 'utf8')
  const listed = [...text.matchAll(/^\| (.+?) +\| (.+?) +\| (\S+) +\| yes/gm)].map(([, ...row]) => row)
  t.deepEqual(
    listed,
    ROWS.map(({ client, mode, revision }) => [client, mode, revision]),
  )
})

function bearer(key: string): Record<string, string> {
  return key === '' ? {} : { authorization: `Bearer ${key}` }
}

type Listing = { listTools(): Promise<{ tools: { name: string }[] }> }
type Calling = { callTool(call: { name: string; arguments: object }): Promise<{ structuredContent?: unknown }> }

async function look(client: Listing & Calling, lovedOneId: string): Promise<Seen> {
  const tools = (await client.listTools()).tools.map(({ name }) => name)
  if (lovedOneId === '') return { tools }
  const { structuredContent } = await client.callTool({ name: 'list_inbox_messages', arguments: { lovedOneId } })
  const { messages } = structuredContent as { messages: { subject: string }[] }
  return { tools, subjects: messages.map(({ subject }) => subject) }
}

async function typescript1({ url, key, lovedOneId }: Server): Promise<Seen> {
  const client = new OldClient({ name: 'test', version: '1' })
  await client.connect(new OldTransport(new URL(url), { requestInit: { headers: bearer(key) } }))
  const seen = await look(client as Listing & Calling, lovedOneId)
  await client.close()
  return seen
}

type Mode = 'legacy' | 'auto' | { pin: string }

async function typescript2({ url, key, lovedOneId }: Server, mode: Mode): Promise<Seen> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: bearer(key) } }))
  const seen = await look(client as Listing & Calling, lovedOneId)
  await client.close()
  return seen
}

async function python1({ url, key, lovedOneId }: Server): Promise<Seen> {
  return python('matrix_python_1.py', await fetchPython('mcp', '1.30.0'), [url, key, lovedOneId])
}

async function python2({ url, key, lovedOneId }: Server, library: 'mcp' | 'fastmcp', mode: string): Promise<Seen> {
  const installed = await fetchPython(library, library === 'mcp' ? '2.3.0' : '4.1.2')
  return python('matrix_python_2.py', installed, [url, key, lovedOneId, library, mode])
}

async function python(script: string, PYTHONPATH: string, args: string[]): Promise<Seen> {
  const env = { ...process.env, PYTHONPATH }
  const { stdout } = await run('python3', [join(import.meta.dirname, script), ...args], { env, timeout: 90_000 })
  return JSON.parse(stdout)
}

async function inspector({ url, key }: Server): Promise<Seen> {
  const folder = await fetchNode('@modelcontextprotocol/inspector', '2.12.0')
  const { bin } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const program = join(folder, typeof bin === 'string' ? bin : (Object.values(bin)[0] as string))
  const header = key === '' ? [] : ['--header', `Authorization: Bearer ${key}`]
  const args = [program, '--cli', url, '--transport', 'http', '--method', 'tools/list', ...header]
  const { stdout } = await run(process.execPath, args, { timeout: 90_000 })
  return { tools: JSON.parse(stdout).tools.map(({ name }: { name: string }) => name) }
}

async function mcpRemote({ url, key, lovedOneId }: Server): Promise<Seen> {
  const program = join(import.meta.dirname, '../node_modules/mcp-remote/dist/proxy.js')
  const header = key === '' ? [] : ['--header', `Authorization: Bearer ${key}`]
  const args = [program, url, '--transport', 'http-only', ...header]
  const client = new OldClient({ name: 'test', version: '1' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }))
  const seen = await look(client as Listing & Calling, lovedOneId)
  await client.close()
  return seen
}
