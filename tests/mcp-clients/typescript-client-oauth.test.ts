import { on, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
  UnauthorizedError as UnauthorizedError2,
} from '@modelcontextprotocol/client'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import anyTest, { type TestFn } from 'ava'
import type { Browser } from 'playwright-core'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { findChromium, openBrowser } from '../site/_browser.ts'
import { importAiSdk } from './_connect.ts'
import { signIn } from './_sign-in.ts'

const test = anyTest as TestFn<{ f: Guest; sink: Sink; browser: Browser }>
const onScreen = findChromium() === undefined ? test.serial.skip : test.serial

test.before(async (t) => {
  if (findChromium() === undefined) return
  const [f, browser] = await Promise.all([joinFamily('standard', { withMail: true }), openBrowser()])
  t.context = { f, sink: f.sink, browser }
})
test.after.always(async (t) => {
  await t.context.browser?.close()
  await t.context.f?.[Symbol.asyncDispose]()
})

/** Waits for the browser's redirect with a code, as a desktop client does. */
async function startCallback() {
  const server = createServer((req, res) => {
    res.end('You may close this window.')
    const params = new URL(req.url ?? '/', 'http://localhost').searchParams
    if (params.has('code')) server.emit('code', params)
  })
  const answers = on(server, 'code')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/callback`,
    nextAnswer: async () => (await answers.next()).value?.[0] as URLSearchParams,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

/** The official client's hooks: storage, and opening a browser. */
function rememberingProvider(redirectUrl: string, open: (url: URL) => Promise<void>) {
  let information: OAuthClientInformationFull | undefined
  let tokens: OAuthTokens | undefined
  let verifier = ''
  return {
    redirectUrl,
    clientMetadata: {
      client_name: 'A careful assistant',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => information,
    saveClientInformation: (saved: OAuthClientInformationFull) => {
      information = saved
    },
    tokens: () => tokens,
    saveTokens: (saved: OAuthTokens) => {
      tokens = saved
    },
    redirectToAuthorization: open,
    saveCodeVerifier: (saved: string) => {
      verifier = saved
    },
    codeVerifier: () => verifier,
  } satisfies OAuthClientProvider
}

type Provider = ReturnType<typeof rememberingProvider>
type Session = Pick<Client, 'listTools' | 'callTool' | 'close'> & { transport?: object | undefined }
/** One of the official clients, in one of its modes. */
type Sdk = {
  /**
   * Asks without a credential, which leads the person to the browser, and redeems the code that comes back.
   * @throws what refused it instead
   */
  signIn(url: URL, provider: Provider, answer: Promise<URLSearchParams>): Promise<void>
  connect(url: URL, provider: Provider): Promise<Session>
}

const SDK_1: Sdk = {
  async signIn(url, provider, answer) {
    const transport = new StreamableHTTPClientTransport(url, { authProvider: provider })
    const refused = await refusalOf(new Client({ name: 'test', version: '1' }).connect(transport))
    if (!(refused instanceof UnauthorizedError)) throw refused
    const code = (await answer).get('code') ?? ''
    await orOnceMore(() => transport.finishAuth(code))
  },
  async connect(url, provider) {
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }))
    return client
  },
}

function sdk2(mode: 'legacy' | 'auto' | { pin: string }): Sdk {
  const open = () => new Client2({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  return {
    async signIn(url, provider, answer) {
      const transport = new Transport2(url, { authProvider: provider })
      const refused = await refusalOf(open().connect(transport))
      if (!(refused instanceof UnauthorizedError2)) throw refused
      const params = await answer
      await orOnceMore(() => transport.finishAuth(params))
    },
    async connect(url, provider) {
      const client = open()
      await client.connect(new Transport2(url, { authProvider: provider }))
      return client as unknown as Session
    },
  }
}

/** The AI SDK’s client of the same shape. */
const AI_SDK: Sdk = {
  async signIn(url, provider, answer) {
    const { auth, UnauthorizedError } = await importAiSdk()
    const refused = await refusalOf(AI_SDK.connect(url, provider))
    if (!(refused instanceof UnauthorizedError)) throw refused
    const params = await answer
    const callback = { authorizationCode: params.get('code'), callbackIssuer: params.get('iss') }
    await orOnceMore(() => auth(provider, { serverUrl: url, ...callback }))
  },
  async connect(url, provider) {
    const { createMCPClient } = await importAiSdk()
    return createMCPClient({ transport: { type: 'http', url: url.href, authProvider: provider } })
  },
}

/** Once more where the server asks for that: one machine runs everything. */
function orOnceMore<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((error) => (/try again in a moment/.test(`${error}`) ? work() : Promise.reject(error)))
}

function refusalOf(connecting: Promise<unknown>): Promise<Error> {
  return connecting.then(
    () => new Error('It connected without a credential.'),
    (error) => error as Error,
  )
}

const own = (f: Guest) => `${f.stack.apiUrl}/mcp/v1`
const alias = (f: Guest) => `${f.stack.inboxUrl}/api/mcp`

for (const [name, address, sdk, person] of [
  ['TypeScript SDK 1 at the tool server’s own address', own, SDK_1, 'owner'],
  ['TypeScript SDK 1 at the alias', alias, SDK_1, 'owner'],
  ['TypeScript SDK 2 (legacy) at the alias', alias, sdk2('legacy'), 'owner'],
  ['TypeScript SDK 2 (auto) at the tool server’s own address', own, sdk2('auto'), 'coordinator'],
  ['TypeScript SDK 2 (pinned) at the tool server’s own address', own, sdk2({ pin: '2026-07-28' }), 'coordinator'],
  ['TypeScript SDK 2 (pinned) at the alias', alias, sdk2({ pin: '2026-07-28' }), 'coordinator'],
  ['AI SDK at the alias', alias, AI_SDK, 'owner'],
] as const)
  onScreen(
    `${name} signs in through a browser, reads, writes, refreshes, and is refused after revocation`,
    async (t) => {
      const { f, sink, browser } = t.context
      // Codes are limited for each address.
      const email = f.family.people[person]
      await using callback = await startCallback()
      const provider = rememberingProvider(callback.url, ({ href }) => signIn(browser, sink, email, href))
      const url = new URL(address(f))

      const comesBack = callback.nextAnswer()
      await orOnceMore(() => sdk.signIn(url, provider, comesBack))
      const client = await sdk.connect(url, provider)

      t.is((await client.listTools()).tools.length, 10)
      const lovedOneId = f.family.lovedOnes[0]?.id
      const read = await client.callTool({ name: 'list_inbox_messages', arguments: { lovedOneId } })
      t.is((read.structuredContent as { messages: unknown[] }).messages.length, 4)
      const written = await client.callTool({ name: 'create_provider_code', arguments: { lovedOneId } })
      t.regex((written.structuredContent as { code: string }).code, /^\S{8}$/)
      t.is(((await client.callTool({ name: 'ping' })).structuredContent as { authMethod: string }).authMethod, 'oauth')

      const before = provider.tokens()
      t.truthy(before?.refresh_token)
      provider.saveTokens({ ...(before as OAuthTokens), access_token: 'expired' })
      const refreshed = await sdk.connect(url, provider)
      await refreshed.listTools()
      t.not(provider.tokens()?.access_token, before?.access_token)
      t.not((await refreshed.callTool({ name: 'ping' })).isError, true)

      const { client_id } = provider.clientInformation() as OAuthClientInformationFull
      const revocation = await fetch(`${f.stack.inboxUrl}/oauth/revoke`, {
        method: 'POST',
        body: new URLSearchParams({ token: provider.tokens()?.refresh_token ?? '', client_id }),
      })
      t.is(revocation.status, 200)
      const answer = await f.post(provider.tokens()?.access_token, { jsonrpc: '2.0', id: 1, method: 'ping' })
      t.is(answer.status, 401)
      await client.close()
      await refreshed.close()
    },
  )

/** SDK 1 refreshes its token instead, which cannot add a scope, and then gives up. */
onScreen('TypeScript SDK 2 asks for one more scope when a tool needs it, and then calls the tool', async (t) => {
  const { f, sink, browser } = t.context
  const sdk = sdk2('auto')
  const family = await f.another()
  await using callback = await startCallback()
  const asked: string[] = []
  const provider = rememberingProvider(callback.url, async ({ href, searchParams }) => {
    asked.push(searchParams.get('scope') ?? '')
    await signIn(browser, sink, family.people.owner, href, { readOnly: asked.length === 1 })
  })
  const url = new URL(own(f))
  const comesBack = callback.nextAnswer()
  await orOnceMore(() => sdk.signIn(url, provider, comesBack))
  const client = await sdk.connect(url, provider)
  const call = { name: 'create_provider_code', arguments: { lovedOneId: family.lovedOnes[0]?.id } }
  const refused = await client.callTool(call).then(
    () => undefined,
    (error: Error) => error,
  )
  t.is(asked.length, 2, String(refused))
  for (const scope of ['profile:read', 'care_circle:read', 'care_circle:write'])
    t.true(asked[1]?.split(' ').includes(scope), asked[1])
  await (client.transport as Transport2).finishAuth(await callback.nextAnswer())
  const { structuredContent } = await client.callTool(call)
  t.regex((structuredContent as { code: string }).code, /^\S{8}$/)
  await client.close()
})
