import type { Stack } from '@family-inbox/local-stack/run-stack'
import { startStack } from '@family-inbox/local-stack/stack'
import { findChromium } from '../../tests/site/_browser.ts'
import { startCpuMeter } from '../measure/cpu-meter.ts'
import { loadPage, type PageLoad } from '../measure/page-load.ts'
import { type Spread, shuffled, spreadOf } from '../measure/statistics.ts'
import type { Options } from '../options.ts'
import { ourPeer, processNamed } from '../peers/peer.ts'
import { shown, table } from '../report/table.ts'
import { fillInbox } from '../world/fill-inbox.ts'
import { makeHousehold } from '../world/household.ts'
import { indexInbox } from '../world/index-inbox.ts'
import { signIn } from '../world/sign-in.ts'

const SMALL = 100
const LARGE = 100_000
/** Of each, however short the time. */
const LEAST = 15
const LOADS = 3

/** A household with so much mail, its owner signed in, and the pages that are asked for. */
type Visited = { cookie: string; pages: Record<string, string> }

/** The inbox with little and with much mail, taking turns; what the first page weighs, and how a phone loads it. */
export async function benchPages({ rounds, seconds, quietly, say }: Options) {
  await using stack = await startStack()
  const small = await fill(stack, SMALL)
  const large = await fill(stack, LARGE)
  say(`${SMALL} and ${LARGE} messages are there`)
  const names = Object.keys(small.pages)
  const samples: Sample[] = []
  for (const page of names) await measurePair(stack, page, [small, large], 0)
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const page of shuffled(names))
      samples.push({ round, ...(await quietly(() => measurePair(stack, page, [small, large], seconds))) })
  }
  const summary = summarise(samples, names)
  const weight = await weigh(stack, large.cookie)
  const loads = findChromium() === undefined ? [] : await load(stack, large.cookie)
  say(report(summary, weight, loads))
  return { summary, samples, weight, loads }
}

async function fill(stack: Stack, count: number): Promise<Visited> {
  await using household = await makeHousehold(stack)
  const { family, lovedOneId } = household
  await fillInbox(household, { lovedOneId, count, shorten: true })
  await indexInbox(household, lovedOneId)
  const cookie = await signIn(stack, family.people.owner)
  const search = await fetch(`${stack.inboxUrl}/inbox/search`, {
    method: 'POST',
    headers: { origin: stack.inboxUrl, cookie },
    body: new URLSearchParams({ words: 'appointment' }),
    redirect: 'manual',
  })
  const first = await (await fetch(stack.inboxUrl, { headers: { cookie } })).text()
  const message = /href="(\/inbox\/lo_\w+\/msg_\w+)/.exec(first)?.[1] ?? ''
  const pages = {
    inbox: '/',
    'one loved one': `/inbox/${lovedOneId}`,
    unread: '/?unread=1',
    'a category': '/?category=appointment',
    'a search': search.headers.get('location') ?? '',
    'a message': message,
  }
  return { cookie, pages }
}

type Sample = { page: string; smallMs: number; largeMs: number; round: number }

/** One page over the gateway as a single reader asks for it, of the two households in turn, so that noise meets both alike. */
async function measurePair(stack: Stack, page: string, [small, large]: [Visited, Visited], seconds: number) {
  const read = startCpuMeter({ ...ourPeer(stack).processes, ...processNamed(stack, 'site') }, process.pid)
  const times = { small: [] as number[], large: [] as number[] }
  const until = performance.now() + seconds * 1000
  while (performance.now() < until || times.large.length < LEAST) {
    times.small.push(await ask(stack, small, page))
    times.large.push(await ask(stack, large, page))
  }
  const { foreignCpus, stolenCpus } = read()
  const [smallMs, largeMs] = [spreadOf(times.small).median, spreadOf(times.large).median]
  return { page, smallMs, largeMs, foreignCpus, stolenCpus }
}

/** @returns milliseconds until the page is there */
async function ask({ inboxUrl }: Stack, { cookie, pages }: Visited, page: string): Promise<number> {
  const started = performance.now()
  const answer = await fetch(inboxUrl + pages[page], { headers: { cookie, 'accept-encoding': 'br' } })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`${page} answered ${answer.status}`)
  return performance.now() - started
}

type Summary = Record<string, { small: Spread; large: Spread; ratio: Spread }>

function summarise(samples: Sample[], names: string[]): Summary {
  const of = (page: string) => samples.filter((sample) => sample.page === page)
  return Object.fromEntries(
    names.map((page) => [
      page,
      {
        small: spreadOf(of(page).map(({ smallMs }) => smallMs)),
        large: spreadOf(of(page).map(({ largeMs }) => largeMs)),
        ratio: spreadOf(of(page).map(({ smallMs, largeMs }) => largeMs / smallMs)),
      },
    ]),
  )
}

/** The first page with all it needs, as it goes over the wire: bodies only, compressed. */
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

async function load({ inboxUrl }: Stack, cookie: string): Promise<PageLoad[]> {
  const loads: PageLoad[] = []
  for (let times = 0; times < LOADS; times += 1) loads.push(await loadPage(`${inboxUrl}/`, cookie))
  return loads
}

function report(summary: Summary, weight: Record<string, number>, loads: PageLoad[]): string {
  const rows = Object.entries(summary).map(([page, { small, large, ratio }]) => [
    page,
    shown(small, 2),
    shown(large, 2),
    shown(ratio, 2),
  ])
  const kinds = Object.entries(weight).map(([kind, bytes]) => [kind, (bytes / 1000).toFixed(1)])
  const figures = loads.map((one) => [
    'load',
    one.firstContentfulPaintMs.toFixed(0),
    one.largestContentfulPaintMs.toFixed(0),
    one.cumulativeLayoutShift.toFixed(3),
    one.totalBlockingMs.toFixed(0),
    (one.bytes / 1000).toFixed(1),
  ])
  return `
Pages over the gateway, one reader, p50 ms: median [min–max] of the rounds
${table([['', `${SMALL} messages`, `${LARGE} messages`, 'ratio'], ...rows])}

The first page, compressed, KB
${table([['', 'KB'], ...kinds])}

The first page on a slow phone (150 ms, 1.6 Mbit/s, processor at a quarter)
${table([['', 'FCP ms', 'LCP ms', 'CLS', 'TBT ms', 'KB'], ...figures])}`
}
