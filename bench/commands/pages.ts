import type { Stack } from '@family-inbox/local-stack/run-stack'
import { startStack } from '@family-inbox/local-stack/stack'
import { startCollector } from '../../tests/operations/_collector.ts'
import { findChromium, type Page } from '../../tests/site/_browser.ts'
import { type Comparison, compareInTurn, comparisonTable, type Pair } from '../load/compare-in-turn.ts'
import { countCalls, type PageCalls } from '../measure/count-calls.ts'
import type { Options } from '../measure/options.ts'
import { loadPage, type PageLoad } from '../measure/page-load.ts'
import { table } from '../measure/table.ts'
import { ourPeer } from '../peers/peer.ts'
import { fillInbox } from '../world/fill-inbox.ts'
import { indexInbox } from '../world/index-inbox.ts'
import { fillJunk, measureDeletion } from '../world/junk.ts'
import { mintKeys } from '../world/mint-keys.ts'
import { signIn } from '../world/sign-in.ts'
import { askOnce, toolRequest } from '../world/tool-request.ts'
import { makeWorkspace, type Workspace } from '../world/workspace.ts'

/** Besides those with mail. */
const OTHER_PAGES = {
  next: '/inbox/next',
  timeline: '/timeline',
  readings: '/timeline/readings',
  medication: '/timeline/medication',
  calendar: '/appointments',
  'care circle': '/care-circle',
  approvals: '/approvals',
  settings: '/settings',
  'tool keys': '/settings/tool-keys',
  activity: '/settings/agent-activity',
}
const SMALL = 100
const LARGE = 100_000
/** Beside so much mail. */
const JUNK = 10_000
const LOADS = 3

type Visited = { cookie: string; pages: Record<string, string>; key: string; tools: Record<string, string> }

/**
 * The calls of each page; the inbox, and a tool’s lists, with little and with much mail, in turn, and beside much junk; how long
 * its deletion takes; the first page's weight, and how a phone loads it.
 */
export async function benchPages(options: Options) {
  const { say } = options
  const calls = await countEach()
  say(callTable(calls))
  await using stack = await startStack({ env: { TOOL_CALLS_PER_MINUTE: '1000000' } })
  await using smallFamily = await makeWorkspace(stack)
  await using largeFamily = await makeWorkspace(stack)
  const small = await fill(stack, smallFamily, SMALL)
  const large = await fill(stack, largeFamily, LARGE)
  say(`${SMALL} and ${LARGE} messages are there`)
  const processes = ourPeer(stack).processes
  const { summary, samples } = await compareInTurn(pairsOf(stack, small, large), processes, options)
  const junk = await benchJunk(stack, large, options)
  const weight = await weigh(stack, large.cookie)
  const loads = findChromium() === undefined ? {} : await load(stack, large)
  say(report(summary, weight, loads))
  return { calls, summary, samples, junk, weight, loads }
}

function pairsOf(stack: Stack, small: Visited, large: Visited): Pair[] {
  const pages = Object.keys(small.pages).map((page) => ({
    name: page,
    small: () => ask(stack, small, page),
    large: () => ask(stack, large, page),
  }))
  const tools = Object.keys(small.tools).map((tool) => ({
    name: tool,
    small: () => callTool(stack, small, tool),
    large: () => callTool(stack, large, tool),
  }))
  return [...pages, ...tools]
}

/** The same mail without and with junk; and how long that is deleted, while another family opens its inbox. */
async function benchJunk(stack: Stack, without: Visited, options: Options) {
  await using family = await makeWorkspace(stack)
  const beside = await fill(stack, family, LARGE)
  const junk = await fillJunk(family, JUNK)
  const { summary } = await compareInTurn(pairsOf(stack, without, beside), ourPeer(stack).processes, options)
  const deletion = await measureDeletion(stack, junk, beside.cookie, () => ask(stack, without, 'inbox'))
  options.say(`${comparisonTable(`${LARGE} messages, without and with ${JUNK} in Junk`, summary)}\n${deletion.words}`)
  return { summary, deletion }
}

/** On a stack of its own, because traces take time. Each page is opened before, so that what is read once is not counted. */
async function countEach(): Promise<Record<string, PageCalls>> {
  await using collector = await startCollector()
  await using stack = await startStack({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
  await using workspace = await makeWorkspace(stack)
  const visited = await fill(stack, workspace, SMALL)
  const pages = { ...visited.pages, ...OTHER_PAGES }
  const requestIds: Record<string, string> = {}
  for (const times of ['first', 'counted'])
    for (const [page, path] of Object.entries(pages)) {
      const answer = await fetch(stack.inboxUrl + path, { headers: { cookie: visited.cookie } })
      await answer.arrayBuffer()
      if (times === 'counted') requestIds[page] = answer.headers.get('x-request-id') ?? ''
    }
  return countCalls(collector, requestIds)
}

function callTable(calls: Record<string, PageCalls>): string {
  const rows = Object.entries(calls).map(([page, { calls, waves, between, commands }]) => [
    page,
    ...[calls, waves, between, commands].map(String),
  ])
  return `\nCalls of each page\n${table([['', 'calls of site', 'waves', 'between services', 'database commands'], ...rows])}`
}

async function fill(stack: Stack, workspace: Workspace, count: number): Promise<Visited> {
  const { family, lovedOneId } = workspace
  await fillInbox(workspace, { lovedOneId, count, shorten: true })
  await indexInbox(workspace, lovedOneId)
  const cookie = await signIn(stack, family.people.owner)
  const searchFor = (words: string) =>
    fetch(`${stack.inboxUrl}/inbox/search`, {
      method: 'POST',
      headers: { origin: stack.inboxUrl, cookie },
      body: new URLSearchParams({ words }),
      redirect: 'manual',
    })
  const search = await searchFor('appointment')
  const bySender = await searchFor('from:riverside confirmed')
  const first = await (await fetch(stack.inboxUrl, { headers: { cookie } })).text()
  const message = /href="(\/inbox\/lo_\w+\/msg_\w+)/.exec(first)?.[1] ?? ''
  const older = /href="([^"]*cursor=[^"]+)"/.exec(first)?.[1]?.replaceAll('&#38;', '&') ?? '/'
  const pages = {
    inbox: '/',
    'one loved one': `/inbox/${lovedOneId}`,
    unread: '/?unread=1',
    'a category': '/?category=appointment',
    'a search': search.headers.get('location') ?? '',
    'a search by sender': bySender.headers.get('location') ?? '',
    'older mail': older,
    'a conversation': message,
  }
  const [key = ''] = await mintKeys(workspace, 1, false)
  const tools = {
    'a tool’s list': toolRequest('list_inbox_messages', { lovedOneId }),
    'a tool’s search': toolRequest('list_inbox_messages', { lovedOneId, query: 'from:riverside confirmed' }),
    'a tool’s search for nothing': toolRequest('list_inbox_messages', { lovedOneId, query: 'confirmed zebra' }),
    'a tool’s list of what is open': toolRequest('list_inbox_messages', { lovedOneId, status: 'open' }),
  }
  return { cookie, pages, key, tools }
}

async function ask({ inboxUrl }: Stack, { cookie, pages }: Visited, page: string): Promise<void> {
  const answer = await fetch(inboxUrl + pages[page], { headers: { cookie, 'accept-encoding': 'br' } })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`${page} answered ${answer.status}`)
}

async function callTool(stack: Stack, { key, tools }: Visited, tool: string): Promise<void> {
  const { status, text } = await askOnce(ourPeer(stack), key, tools[tool] ?? '')
  if (status !== 200 || text.includes('"isError":true')) throw new Error(`${tool} answered ${status} ${text}`)
}

/** Bytes of the first page with all it needs, compressed, bodies only. */
async function weigh({ inboxUrl }: Stack, cookie: string): Promise<Record<string, number>> {
  const bytesOf = async (path: string) => {
    const answer = await fetch(inboxUrl + path, { headers: { cookie, 'accept-encoding': 'br' } })
    return { text: await answer.text(), bytes: Number(answer.headers.get('content-length')) }
  }
  const page = await bytesOf('/')
  const assets = [...page.text.matchAll(/(?:href|src)="(\/assets\/site\.[^"]+)"/g)].map(([, path = '']) => path)
  const weights: Record<string, number> = { page: page.bytes }
  for (const path of assets) weights[path.split('.').at(-1) ?? path] = (await bytesOf(path)).bytes
  return { ...weights, total: Object.values(weights).reduce((sum, bytes) => sum + bytes, 0) }
}

type Loads = Record<string, PageLoad[]>

/** The first page, where somebody opens a message; and a conversation, where they write a reply. */
async function load({ inboxUrl }: Stack, { cookie, pages }: Visited): Promise<Loads> {
  const loads: Loads = { inbox: [], 'a conversation': [] }
  for (let times = 0; times < LOADS; times += 1) {
    loads.inbox?.push(await loadPage(`${inboxUrl}/`, cookie, openFirst))
    loads['a conversation']?.push(await loadPage(inboxUrl + pages['a conversation'], cookie, writeReply))
  }
  return loads
}

/** The page stays (204), so that the touch is counted on this one. */
async function openFirst(page: Page): Promise<void> {
  await page.route('**', (route) =>
    route.request().isNavigationRequest() ? route.fulfill({ status: 204 }) : route.continue(),
  )
  await page.locator('main a[href*="/msg_"]').first().tap()
}

async function writeReply(page: Page): Promise<void> {
  const button = page.locator('.reply:not([open]) > summary')
  // Open when there is a draft, as from the second time on.
  if (await button.isVisible()) await button.tap()
  await page.getByLabel('Your reply').pressSequentially('Thank you, we come on Monday.', { delay: 50 })
}

const GOALS = 'Goals: LCP 1200 ms, INP 150 ms, CLS 0, 60 KB'

function report(summary: Comparison[], weight: Record<string, number>, loads: Loads): string {
  const kinds = Object.entries(weight).map(([kind, bytes]) => [kind, (bytes / 1000).toFixed(1)])
  const rows = Object.entries(loads).flatMap(([name, all]) => all.map((load) => ({ name, ...load })))
  const figures = rows.map((row) => [
    row.name,
    row.firstContentfulPaintMs.toFixed(0),
    row.largestContentfulPaintMs.toFixed(0),
    row.cumulativeLayoutShift.toFixed(3),
    row.totalBlockingMs.toFixed(0),
    row.interactionToNextPaintMs.toFixed(0),
    (row.bytes / 1000).toFixed(1),
  ])
  return `${comparisonTable(`Pages through the gateway, ${SMALL} and ${LARGE} messages`, summary)}

The first page, compressed, KB
${table([['', 'KB'], ...kinds])}

On a slow phone (150 ms, 1.6 Mbit/s, processor at a quarter)
${table([['', 'FCP ms', 'LCP ms', 'CLS', 'TBT ms', 'INP ms', 'KB'], ...figures])}
${GOALS}`
}
