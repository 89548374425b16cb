import { equal } from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { startStack } from '@family-inbox/local-stack/stack'
import type { PageFigures, PageLoad, PageRequest } from '../load/page-load.ts'
import { startWorker } from '../load/worker.ts'
import { startCpuMeter } from '../measure/cpu-meter.ts'
import type { Noise } from '../measure/quiet.ts'
import { shuffled } from '../measure/statistics.ts'
import type { Options } from '../options.ts'
import type { BarePages } from '../peers/bare-pages.ts'
import { processesNamed, processNamed } from '../peers/peer.ts'
import { pageTable, summarisePages } from '../report/page-table.ts'

const CONNECTIONS = 16
const WARM_UP_SECONDS = 2

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-encoding': 'gzip, deflate, br' }
const ANYTHING = { accept: '*/*' }
const REQUESTS: PageRequest[] = [
  { path: '/', headers: BROWSER },
  { path: '/getting-started', headers: BROWSER },
  { path: '/llms.txt', headers: ANYTHING },
  { path: '/openapi.json', headers: ANYTHING },
]

type PageServer = {
  /** `hop`: through the gateway, with requests that no cache may answer. */
  name: 'direct' | 'gateway' | 'hop' | 'bare'
  port: number
  host: string
  headers?: Record<string, string>
  processes: Record<string, number>
}

export type PageSample = Awaited<ReturnType<typeof measurePages>> & { round: number; isNoisy: boolean }

/** Pages and discovery files: the site, the gateway, and a bare handler with the same bytes. */
export async function benchSite({ rounds, seconds, quietly, say }: Options) {
  await using stack = await startStack()
  const servers = ourServers(stack)
  const pages = await answersOf(servers)
  const file = join(import.meta.dirname, '../peers/bare-pages.ts')
  const { worker: bare, hello } = await startWorker<never, never, { port: number }>(file, { pages } satisfies BarePages)
  await using _bare = bare
  const { host } = servers.direct
  const all: PageServer[] = [
    servers.direct,
    servers.gateway,
    { ...servers.gateway, name: 'hop', headers: { 'cache-control': 'no-cache' } },
    { name: 'bare', port: hello.port, host, processes: { bare: bare.pid } },
  ]
  const loadFile = join(import.meta.dirname, '../load/page-load.ts')
  const { worker: load } = await startWorker<PageLoad, PageFigures, object>(loadFile, { requests: REQUESTS })
  await using _load = load
  const measure = (server: PageServer, forSeconds: number) => measurePages(load, server, forSeconds)

  for (const server of all) await measure(server, WARM_UP_SECONDS)
  const samples: PageSample[] = []
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const server of shuffled(all)) samples.push({ round, ...(await quietly(() => measure(server, seconds))) })
  }
  const summary = summarisePages(samples)
  say(pageTable(summary))
  return { summary, samples }
}

type Load = { pid: number; ask(question: PageLoad): Promise<PageFigures> }

async function measurePages(load: Load, server: PageServer, seconds: number) {
  const { name, port, host, headers = {}, processes } = server
  const readCpu = startCpuMeter(processes, load.pid)
  const figures = await load.ask({ port, host, headers, connections: CONNECTIONS, seconds })
  const { byProcess, totalUs, loadUs, foreignCpus, stolenCpus } = readCpu()
  equal(figures.errors, 0, `${name}: ${figures.firstError}`)
  const { requests } = figures
  return {
    ...figures,
    server: name,
    requestsPerSecond: requests / figures.seconds,
    cpuUsPerRequest: totalUs / requests,
    cpuUsByProcess: Object.fromEntries(Object.entries(byProcess).map(([process, us]) => [process, us / requests])),
    loadCpuUsPerRequest: loadUs / requests,
    ...({ foreignCpus, stolenCpus } satisfies Noise),
  }
}

function ourServers(stack: Stack): Record<'direct' | 'gateway', PageServer> {
  const { host, port } = new URL(stack.baseUrl)
  const site = processNamed(stack, 'site')
  const direct = Number(stack.httpAddresses.site?.split(':')[1])
  return {
    direct: { name: 'direct', port: direct, host, processes: site },
    gateway: { name: 'gateway', port: Number(port), host, processes: processesNamed(stack, ['gateway', 'site']) },
  }
}

/** The site's answer to each request. The gateway's bytes must be the same. */
async function answersOf({ direct, gateway }: Record<'direct' | 'gateway', PageServer>): Promise<BarePages['pages']> {
  const pages: BarePages['pages'] = {}
  for (const { path, headers } of REQUESTS) {
    const [own, passed] = await Promise.all([ask(direct, path, headers), ask(gateway, path, headers)])
    equal(own.status, 200, path)
    equal(passed.status, 200, path)
    equal(Buffer.compare(own.body, passed.body), 0, `${path} must be the same through the gateway`)
    const { date: _, connection: __, 'keep-alive': ___, ...kept } = own.headers
    pages[path] = { headers: kept, body: own.body }
  }
  return pages
}

async function ask({ port, host }: PageServer, path: string, headers: Record<string, string>) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers: { host, ...headers }, agent: false }, resolve)
      .once('error', reject)
      .end()
  })
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}
