import { waitFor } from '@family-inbox/local-stack/wait-for'
import { signedHeaders } from '@family-inbox/ops/events/send-event'
import { connect } from '@family-inbox/ops/services'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import { startMailSink } from '../_mail-sink.ts'
import { eventAbout } from '../event-pipe/_signed-event.ts'
import { checkOutPreviousVersion, type PreviousVersion } from './_previous-version.ts'
import { toolOf } from './_questions.ts'
import { type Replicas, startReplicas } from './_replicas.ts'
import { openClient, type Question, startLoad } from './_steady-load.ts'

type Agency = { institutionId: string; secret: string; subjectRef: string }
type World = { previous?: PreviousVersion; sink: AsyncDisposable; replicas: Replicas; agency: Agency }

const test = (anyTest as TestFn<World>).serial
const CLIENTS = 6
const EVENTS_EACH = 60

test.before('start two replicas of pipe and one of each other service', async (t) => {
  if (process.platform !== 'linux') return
  t.context.previous = await checkOutPreviousVersion()
  if (t.context.previous === undefined) return
  const sink = await startMailSink()
  t.context.sink = sink
  t.context.replicas = await startReplicas((name) => (name === 'pipe' ? 2 : 1), sink.url)
  t.context.agency = await addAgency(t.context.replicas)
})
test.after.always(async ({ context: { previous, replicas, sink } }) => {
  await replicas?.[Symbol.asyncDispose]()
  await sink?.[Symbol.asyncDispose]()
  await previous?.[Symbol.asyncDispose]()
})

test('pipe is replaced by the version before it and back under load, and every event is accepted and shown once', async (t) => {
  const { previous, replicas, agency } = t.context
  if (previous === undefined) {
    t.log('skipped: this clone has no history, so the version before is not known (git fetch --unshallow)')
    return t.pass()
  }
  t.log(`the version before: ${previous.commit.slice(0, 10)}`)
  const accepted = new Map<string, Set<string>>()
  const { http, family } = replicas
  const list = toolOf(http.apiHost, family.keys.owner)('list_care_events', { lovedOneId: family.lovedOnes[0]?.id })
  const bodies: string[] = []
  const question = (nth: number): Question => {
    if (nth % 5 === 4) return list
    // Every fourth is a repeat.
    if (nth % 4 !== 3) bodies.push(JSON.stringify(eventAbout(agency.institutionId, agency.subjectRef)))
    return eventQuestion(http.apiHost, agency, bodies.at(nth % 4 === 3 ? -Math.min(9, bodies.length) : -1) ?? '')
  }
  {
    await using load = startLoad(http.port, CLIENTS, question, ({ status, text }, asked) => {
      if (asked.path === list.path) return /"isError":true|"error":/.test(text) ? text.slice(0, 200) : undefined
      if (status !== 202) return `${status} ${text.slice(0, 200)}`
      const ids = accepted.get(asked.body ?? '') ?? new Set()
      accepted.set(asked.body ?? '', ids.add(JSON.parse(text).event_id))
      return undefined
    })
    for (const folder of [previous.folder, undefined]) {
      await load.goesOn(EVENTS_EACH)
      await replicas.roll('pipe', folder)
      t.deepEqual(load.failures, [], folder ? 'while the version before came back' : 'while it was replaced')
    }
    await load.goesOn(EVENTS_EACH)
    await load.stop()
    t.deepEqual(load.failures, [])
  }
  t.deepEqual(
    [...accepted.values()].filter(({ size }) => size !== 1),
    [],
    'an event has two ids',
  )
  const ids = [...accepted.values()].flatMap((one) => [...one])
  t.log(`${ids.length} events`)
  const shown = await waitFor(
    async () => {
      const all = await timelineIds(replicas)
      return ids.every((id) => all.includes(id)) ? all : undefined
    },
    { timeoutMs: 60_000, everyMs: 500, timeout: () => new Error('an accepted event is not on the timeline') },
  )
  t.deepEqual(
    shown.filter((id, index) => shown.indexOf(id) !== index),
    [],
  )
})

function eventQuestion(host: string, { institutionId, secret }: Agency, body: string): Question {
  return { host, path: '/pipe/v1/events', body, headers: signedHeaders(institutionId, secret, body) }
}

async function addAgency({ target, family, http }: Replicas): Promise<Agency> {
  using services = await connect(target)
  const institutionId = `agency-${randomText(8)}`
  const dates = { agreementDate: '2026-01-15', reviewDate: '2026-02-20' }
  const { secret } = await services.pipe.addPartner({ institutionId, name: 'An agency', namespaces: [], ...dates })
  await services.pipe.setPartnerActive({ institutionId, active: true, agreementDate: '', reviewDate: '' })
  using client = openClient(http.port)
  const mint = toolOf(http.apiHost, family.keys.owner)('create_provider_code', { lovedOneId: family.lovedOnes[0]?.id })
  const { code } = JSON.parse((await client.ask(mint)).text).result.structuredContent
  const subjectRef = `client-${randomText(8)}`
  await services.pipe.linkSubject({ institutionId, subjectRef, providerCode: code })
  await services.pipe.setFamilyShare({ institutionId, subjectRef, shared: true })
  return { institutionId, secret, subjectRef }
}

async function timelineIds({ http, family }: Replicas): Promise<string[]> {
  using client = openClient(http.port)
  const tool = toolOf(http.apiHost, family.keys.owner)
  const ids: string[] = []
  for (let cursor: string | null | undefined = null; cursor !== undefined; ) {
    const args = { lovedOneId: family.lovedOnes[0]?.id, limit: 50, cursor }
    const { text } = await client.ask(tool('list_care_events', args))
    const page = JSON.parse(text).result.structuredContent as { events: { id: string }[]; nextCursor?: string }
    ids.push(...page.events.map(({ id }) => id))
    cursor = page.nextCursor
  }
  return ids
}
