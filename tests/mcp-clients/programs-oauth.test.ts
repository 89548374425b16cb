import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { freePort } from '@family-inbox/local-stack/free-port'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import anyTest, { type TestFn } from 'ava'
import type { Browser } from 'playwright-core'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { findChromium, openBrowser } from '../site/_browser.ts'
import { type ClientName, ROWS } from './_clients.ts'
import { inspectorProgram, MCP_REMOTE, whyNot } from './_connect.ts'
import { fetchPackage, skippedFor } from './_packages.ts'
import { findAuthorization, signIn } from './_sign-in.ts'

const test = anyTest as TestFn<{ f: Guest; sink: Sink; browser: Browser; emails: string[] }>

test.before(async (t) => {
  if (findChromium() === undefined) return
  const [f, browser] = await Promise.all([joinFamily('standard', { withMail: true }), openBrowser()])
  // Codes are limited for each address.
  const emails = [f.family, await f.another({ others: ['coordinator', 'viewer'] })].flatMap(({ people }) =>
    Object.values(people),
  )
  t.context = { f, sink: f.sink, browser, emails }
})
test.after.always(async (t) => {
  await t.context.browser?.close()
  await t.context.f?.[Symbol.asyncDispose]()
})

/** A client that knows an address only. `home` is empty, so that it knows no earlier sign-in. */
type Start = (url: string, mode: string, home: string) => Promise<Running>
type Running = {
  /** Where it prints the address it opens in a browser. */
  printed: Readable
  /** What the tool `ping` returned. */
  pinged: Promise<{ authMethod?: string }>
}

const PROGRAMS: Partial<Record<ClientName, Start>> = {
  'Python SDK 1.30.0': async (url, mode, home) =>
    python(await fetchPackage('Python SDK 1'), [url, 'mcp-1', mode], home),
  'Python SDK 2.3.0': async (url, mode, home) => python(await fetchPackage('Python SDK 2'), [url, 'mcp-2', mode], home),
  'FastMCP 4.1.2': async (url, mode, home) => python(await fetchPackage('fastmcp'), [url, 'fastmcp', mode], home),
  'Go SDK 1.8.0': async (url, mode, home) =>
    driver(await fetchPackage('Go SDK and mcp-go'), ['go-sdk', url, mode], home),
  'mcp-go 1.2.1': async (url, mode, home) =>
    driver(await fetchPackage('Go SDK and mcp-go'), ['mcp-go', url, mode], home),
  'Rust SDK (rmcp) 3.9.0': async (url, mode, home) => driver(await fetchPackage('rmcp'), [url, mode], home),
  'LangChain MCP adapters 0.3.2 (Python)': async (url, mode, home) =>
    python(await fetchPackage('langchain-mcp-adapters'), [url, 'langchain', mode], home),
  'OpenAI Agents 0.24.0 (Python)': async (url, mode, home) =>
    python(await fetchPackage('openai-agents'), [url, 'agents', mode], home),
  'Inspector 2.12.0 (--cli --transport http)': startInspector,
  'mcp-remote 0.15.1': startMcpRemote,
}

const tried = ROWS.filter(({ oauth }) => oauth === 'program')

for (const [index, { client, mode }] of tried.entries()) {
  const lacking = whyNot(client)
  const run = lacking === undefined && findChromium() !== undefined ? test.serial : test.serial.skip
  run(
    `${client} (${mode}) signs in through a browser with nothing but the address, and calls a tool${skippedFor(lacking)}`,
    async (t) => {
      const { f, sink, browser, emails } = t.context
      const email = emails[index % emails.length] ?? ''
      const url = index % 2 === 0 ? `${f.stack.apiUrl}/mcp/v1` : `${f.stack.inboxUrl}/api/mcp`
      const home = await mkdtemp(join(tmpdir(), 'client-home-'))
      try {
        const { printed, pinged } = await (PROGRAMS[client] as Start)(url, mode, home)
        const opened = findAuthorization(printed)
        const first = await Promise.race([opened, pinged])
        if (typeof first !== 'string') return t.fail(`It called a tool without signing in: ${JSON.stringify(first)}`)
        await signIn(browser, sink, email, first)
        t.is((await pinged).authMethod, 'oauth')
      } finally {
        await rm(home, { recursive: true })
      }
    },
  )
}

/** FastMCP opens the browser itself, with the command in BROWSER. */
function python(PYTHONPATH: string, args: string[], home: string): Running {
  const script = join(import.meta.dirname, 'drivers/oauth.py')
  return driver('python3', [script, ...args], home, { PYTHONPATH, BROWSER: 'echo %s', PYTHONUNBUFFERED: '1' })
}

function driver(program: string, args: string[], home: string, more: NodeJS.ProcessEnv = {}): Running {
  const env = { ...process.env, HOME: home, ...more }
  return watch(spawn(program, args, { env, timeout: 120_000 }), (output) =>
    JSON.parse(output.trim().split('\n').at(-1) ?? ''),
  )
}

async function startInspector(url: string, mode: string, home: string): Promise<Running> {
  const era = mode === 'default' ? [] : mode.split(' ')
  const callback = ['--callback-url', `http://127.0.0.1:${await freePort()}/oauth/callback`]
  const call = ['--transport', 'http', '--method', 'tools/call', '--tool-name', 'ping', '--connect-timeout', '0']
  const args = [...(await inspectorProgram()), url, ...call, ...callback, ...era]
  // Without a terminal it signs in only when it may open a browser; `true` opens none.
  const env = { ...process.env, HOME: home, MCP_AUTO_OPEN_ENABLED: 'true', BROWSER: 'true' }
  return watch(
    spawn(process.execPath, args, { env, timeout: 120_000 }),
    (output) => JSON.parse(output).structuredContent,
  )
}

function watch(child: ChildProcessWithoutNullStreams, read: (output: string) => object): Running {
  const printed = new PassThrough()
  child.stdout.pipe(printed, { end: false })
  child.stderr.pipe(printed, { end: false })
  child.on('close', () => printed.end())
  const pinged = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([output, problems]) => {
      if (child.exitCode !== 0) throw new Error(`It failed: ${problems.slice(-2000)}`)
      return read(output)
    },
  )
  pinged.catch(() => {})
  return { printed, pinged }
}

async function startMcpRemote(url: string, _mode: string, home: string): Promise<Running> {
  const args = [MCP_REMOTE, url, String(await freePort()), '--transport', 'http-only']
  const env = { ...(process.env as Record<string, string>), HOME: home, MCP_REMOTE_CONFIG_DIR: home, BROWSER: 'true' }
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' })
  const client = new Client({ name: 'test', version: '1' })
  const pinged = client.connect(transport, { timeout: 120_000 }).then(async () => {
    const { structuredContent } = await client.callTool({ name: 'ping' })
    await client.close()
    return structuredContent as { authMethod?: string }
  })
  pinged.catch(() => {})
  return { printed: transport.stderr as Readable, pinged }
}
