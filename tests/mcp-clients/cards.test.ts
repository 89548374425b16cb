import { AppBridge, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/app-bridge'
import anyTest, { type TestFn } from 'ava'
import type { Browser, Page } from 'playwright-core'
import { type Guest, joinFamily } from '../_family.ts'
import { signIn } from '../_visitor.ts'
import { until } from '../_wait.ts'
import { callTool, mintKey } from '../outgoing-mail/_approval.ts'
import { violationsOf } from '../site/_axe.ts'
import { findChromium, openBrowser } from '../site/_browser.ts'

// biome-ignore lint/suspicious/noExplicitAny: results of every method
type Data = any

const test = anyTest as TestFn<{ f: Awaited<ReturnType<typeof joinFamily>>; browser: Browser }>
const onScreen = findChromium() === undefined ? test.skip : test

const UI = 'io.modelcontextprotocol/ui'
const HOST = { extensions: { [UI]: { mimeTypes: [RESOURCE_MIME_TYPE] } } }

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  t.context = { f, browser: findChromium() === undefined ? (undefined as never) : await openBrowser() }
})
test.after.always(async (t) => {
  await t.context.browser?.close()
  await t.context.f?.[Symbol.asyncDispose]()
})

async function ask(f: Guest, method: string, params: object = {}): Promise<Data> {
  const { json } = await f.post(f.family.keys.owner, { jsonrpc: '2.0', id: 1, method, params })
  return json.result ?? json.error
}

const initialize = (f: Guest, capabilities: object) =>
  ask(f, 'initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'x', version: '1' } })

test('a host that can show cards learns of them, and no other client does', async (t) => {
  const { f } = t.context
  t.deepEqual((await initialize(f, HOST)).capabilities, { tools: {}, resources: {}, extensions: { [UI]: {} } })
  for (const capabilities of [{}, { extensions: {} }, { extensions: { [UI]: true } }, { extensions: [] }])
    t.deepEqual((await initialize(f, capabilities)).capabilities, { tools: {} })
  const { tools } = await ask(f, 'tools/list')
  const withCards = tools.filter(({ _meta }: Data) => _meta !== undefined)
  t.deepEqual(
    withCards.map(({ name, _meta }: Data) => [name, _meta.ui.resourceUri]),
    [
      ['get_inbox_message', 'ui://family-inbox/card'],
      ['reply_to_inbox_message', 'ui://family-inbox/card'],
    ],
  )
  const { resources } = await ask(f, 'resources/list')
  t.deepEqual(
    resources.map(({ uri, mimeType }: Data) => [uri, mimeType]),
    [['ui://family-inbox/card', RESOURCE_MIME_TYPE]],
  )
  t.is((await ask(f, 'resources/read', { uri: 'file:///etc/passwd' })).code, -32002)
  t.is((await ask(f, 'resources/read')).code, -32602)
})

test('without a handshake, each request says whether it may read cards', async (t) => {
  const { f } = t.context
  const meta = 'io.modelcontextprotocol/'
  const uri = 'ui://family-inbox/card'
  const read = async (capabilities: object) => {
    const _meta = { [`${meta}protocolVersion`]: '2026-07-28', [`${meta}clientCapabilities`]: capabilities }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'resources/read', 'mcp-name': uri }
    const message = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri, _meta } }
    return f.post(f.family.keys.owner, message, headers)
  }
  t.is((await read(HOST)).json.result.contents[0].mimeType, RESOURCE_MIME_TYPE)
  t.is((await read({})).json.error.code, -32601)
})

/**
 * A host: the bridge of the extension's own package, and a page that holds the card in a sandboxed frame and passes messages on, with the
 * policy for content that the specification has by default.
 */
async function openHost(f: Guest, browser: Browser, options: object = {}) {
  const { contents } = await ask(f, 'resources/read', { uri: 'ui://family-inbox/card' })
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const opened: string[] = []
  const bridge = new AppBridge(
    null,
    { name: 'host', version: '1' },
    { openLinks: {} },
    { hostContext: { theme: 'light' } },
  )
  bridge.onopenlink = async ({ url }) => {
    opened.push(url)
    return {}
  }
  const ready = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve()
  })
  const transport: Data = {
    start: async () => {},
    close: async () => {},
    send: (message: object) => page.evaluate(`toCard(${JSON.stringify(message)})`),
  }
  await page.exposeFunction('toHost', (message: object) => transport.onmessage?.(message))
  await page.goto('about:blank')
  await bridge.connect(transport)
  await page.setContent(
    '<title>A chat</title><iframe title="A card" sandbox="allow-scripts" style="width:100%;height:600px;border:0"></iframe>',
  )
  await page.evaluate(`(() => {
    const frame = document.querySelector('iframe')
    addEventListener('message', ({ source, data }) => source === frame.contentWindow && toHost(data))
    globalThis.toCard = (message) => frame.contentWindow.postMessage(message, '*')
    frame.srcdoc = ${JSON.stringify(contents[0].text)}
  })()`)
  await ready
  const card = page.frames()[1] as unknown as Page
  return { page, card, bridge, opened, [Symbol.asyncDispose]: () => context.close() }
}

onScreen('a reply that waits is shown in the chat, and only the application can send it', async (t) => {
  const { f, browser } = t.context
  const owner = await signIn(f, f.sink, f.family.people.owner)
  const key = await mintKey(owner, 'approval', 'In a chat')
  const { messages } = (await f.call(key, 'list_inbox_messages', { lovedOneId: f.family.lovedOnes[0]?.id })).json.result
    .structuredContent
  const input = { messageId: messages[0].id, body: 'We come on Tuesday.\n<img src=x onerror=alert(1)>' }
  const result = await callTool(f, key, 'reply_to_inbox_message', input)
  await using host = await openHost(f, browser)
  await host.bridge.sendToolInput({ arguments: input })
  await host.bridge.sendToolResult({ content: [], structuredContent: result.data } as Data)
  await host.card.getByRole('heading', { name: 'This reply waits until your family sends it' }).waitFor()
  t.is(String(result.data.toVerified), 'false', 'nothing signed the mail of this family')
  await host.card.getByText('Nothing proves that this is the sender’s address.').waitFor()
  t.is(await host.card.locator('.text').textContent(), input.body)
  t.is(await host.card.locator('img').count(), 0)
  t.deepEqual(await violationsOf(host.card, 'light'), [])
  await host.card.getByRole('button', { name: 'Send, change or decline' }).focus()
  await host.page.keyboard.press('Enter')
  await until(async () => host.opened.length > 0)
  t.deepEqual(host.opened, [`${f.stack.inboxUrl}/approvals/replies/${result.data.proposalId}`])
  t.regex((await owner.get(new URL(host.opened[0] ?? '').pathname)).text, /We come on Tuesday\./)
  const again = await callTool(f, key, 'reply_to_inbox_message', input)
  t.is(again.data.status, 'waiting_for_approval', 'nothing that the model or the card can do sends it')
})

for (const width of [320, 768])
  onScreen(`a message is a card at ${width} pixels, in light and dark`, async (t) => {
    const { f, browser } = t.context
    const lovedOneId = f.family.lovedOnes[0]?.id ?? ''
    const call = async (tool: string, args: object) => (await f.call(f.family.keys.owner, tool, args)).json.result
    const [{ id: messageId }] = (await call('list_inbox_messages', { lovedOneId })).structuredContent.messages
    const result = await call('get_inbox_message', { lovedOneId, messageId })
    await using host = await openHost(f, browser, { viewport: { width, height: 700 } })
    await host.bridge.sendToolResult(result)
    await host.card.getByRole('heading', { name: result.structuredContent.subject }).waitFor()
    t.deepEqual(await violationsOf(host.card, 'light'), [])
    await host.bridge.sendHostContextChange({ theme: 'dark' })
    await host.card.locator('html[data-theme=dark]').waitFor()
    t.deepEqual(await violationsOf(host.card, 'dark'), [])
    t.true(await host.card.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'))
    await host.card.getByRole('button', { name: 'Open in Family Care Inbox' }).click()
    await until(async () => host.opened.length > 0)
    t.deepEqual(host.opened, [`${f.stack.inboxUrl}/inbox/${lovedOneId}/${messageId}`])
  })

onScreen('a card loads and sends nothing, whatever a result says', async (t) => {
  const { f, browser } = t.context
  await using host = await openHost(f, browser)
  const requests: string[] = []
  host.page.on('request', (request) => requests.push(request.url()))
  const evil = '"><script>parent.postMessage("out","*")</script><a href="https://evil.example">x</a>'
  const structuredContent = {
    id: '../../logout',
    lovedOneId: 'javascript:alert(1)',
    subject: evil,
    sender: evil,
    authenticity: 'not_verified',
    receivedAt: 'never',
    body: evil,
    attachments: [{ filename: evil }],
  }
  await host.bridge.sendToolResult({ content: [], structuredContent } as Data)
  await host.card.getByText('The sender is not verified.').waitFor()
  t.is(await host.card.locator('a, script:not(body > script)').count(), 0)
  await host.card.getByRole('button').click()
  await until(async () => host.opened.length > 0)
  t.true(host.opened.every((url) => url.startsWith(`${f.stack.inboxUrl}/inbox/javascript%3Aalert(1)/..%2F..%2Flogout`)))
  const blocked = await host.card.evaluate(`fetch('https://evil.example').then(() => 'sent', () => 'blocked')`)
  t.is(blocked, 'blocked')
  t.deepEqual(requests, [])
})
