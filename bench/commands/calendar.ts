import type { Stack } from '@family-inbox/local-stack/run-stack'
import { startStack } from '@family-inbox/local-stack/stack'
import { compareInTurn, comparisonTable } from '../load/compare-in-turn.ts'
import type { Options } from '../options.ts'
import { ourPeer } from '../peers/peer.ts'
import { table } from '../report/table.ts'
import { type BusyFamily, type FamilySize, makeBusyFamily } from '../world/busy-family.ts'

/** Each list has one full page and a bit, so that both families get pages of the same size. */
const SMALL: FamilySize = { messages: 450, careEvents: 200, appointments: { past: 20, ahead: 70, series: 4 } }
const LARGE: FamilySize = {
  messages: 100_000,
  careEvents: 20_000,
  appointments: { past: 9550, ahead: 420, series: 30 },
}

type Visited = BusyFamily & { pages: Record<string, string> }

/** Pages with appointments, and with what became of mail, of a family with little and of one with much of it, in turn. */
export async function benchCalendar(options: Options) {
  const { say } = options
  await using stack = await startStack()
  const small = await visit(stack, await makeBusyFamily(stack, SMALL))
  const large = await visit(stack, await makeBusyFamily(stack, LARGE))
  say(`both families are there, the large one with ${countOf(LARGE)} appointments and ${LARGE.messages} messages`)
  const pairs = Object.keys(small.pages).map((page) => ({
    name: page,
    small: () => ask(stack, small, small.pages[page]),
    large: () => ask(stack, large, large.pages[page]),
  }))
  const feeds = { name: 'calendar address', small: takeTurns(stack, small), large: takeTurns(stack, large) }
  const { processes } = ourPeer(stack)
  const { summary, samples } = await compareInTurn(pairs, processes, options)
  const calendars = await compareInTurn([feeds], processes, { ...options, seconds: 0 })
  const events = { small: await countEvents(stack, small), large: await countEvents(stack, large) }
  const title = `Pages, ${countOf(SMALL)} appointments and ${SMALL.messages} messages beside ${countOf(LARGE)} and ${LARGE.messages}`
  say(comparisonTable(title, summary))
  say(`${comparisonTable('Calendar address, at most 1000 events', calendars.summary)}
${table([
  ['events in it', 'small', 'large'],
  ['', `${events.small}`, `${events.large}`],
])}`)
  return { summary, samples, calendars, events }
}

function countOf({ appointments: { past, ahead, series } }: FamilySize): number {
  return past + ahead + series
}

/** Finds the pages as a reader does, by links. */
async function visit(stack: Stack, family: BusyFamily): Promise<Visited> {
  const follow = async (path: string, link: RegExp) => {
    const [, href] = link.exec(await ask(stack, family, path)) ?? []
    if (href === undefined) throw new Error(`${path} has no link like ${link}`)
    return href.replaceAll('&#38;', '&')
  }
  const next = /href="([^"]+)" rel="next"/
  const series = await follow('/appointments', /href="(\/appointments\/apt_\w+\?occurrence=\w+)"/)
  const pages = {
    inbox: '/',
    'what comes next': '/inbox/next',
    calendar: '/appointments',
    'calendar, later': await follow('/appointments', next),
    'calendar of one': await follow('/appointments', /href="(\/appointments\?for=[^"]+)"/),
    'an appointment': await follow('/appointments', /href="(\/appointments\/apt_\w+)"/),
    'one of a series': series,
    'mail of a series': await follow(series, /href="([^"]+)">Open the message/),
    open: '/?view=open',
    mine: '/?view=mine',
    done: '/?view=done',
    'done, older': await follow('/?view=done', next),
    'newest message': await follow('/?view=open', /href="(\/inbox\/lo_\w+\/msg_\w+)/),
    timeline: '/timeline',
    'timeline, older': await follow('/timeline', next),
    medication: '/timeline/medication',
    'medication, older': await follow('/timeline/medication', next),
  }
  return { ...family, pages }
}

async function ask({ inboxUrl }: Stack, { cookie }: BusyFamily, path = ''): Promise<string> {
  const answer = await fetch(inboxUrl + path, { headers: { cookie, 'accept-encoding': 'br' } })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
  return text
}

/** Each address may be read a few times an hour only. */
function takeTurns(stack: Stack, family: BusyFamily): () => Promise<string> {
  let turn = 0
  return () => ask(stack, family, family.feeds[turn++ % family.feeds.length])
}

async function countEvents(stack: Stack, family: BusyFamily): Promise<number> {
  return (await takeTurns(stack, family)()).split('BEGIN:VEVENT').length - 1
}
