import type { Stack } from '@family-inbox/local-stack/run-stack'
import type { StackOptions } from '@family-inbox/local-stack/stack'
import { signedHeaders, webhookHeaders } from '@family-inbox/ops/events/send-event'
import { connect, type Services } from '@family-inbox/ops/services'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { openDatabase } from '../_database.ts'
import { type Answer, type Family, joinFamily, send, startFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { untilAnswered } from '../_outcome.ts'
import type { PresetName } from '../_presets.ts'
import type { LeasedStack, MailOption, SharedStack } from '../_shared-stack.ts'
import { readUntil, until } from '../_wait.ts'
import { type Envelope, eventAbout } from './_signed-event.ts'

/** An active care agency and its secret. */
export type Agency = {
  institutionId: string
  name: string
  secret: string
  secretId: string
  /** An event about one of its clients, with a fresh id. */
  event(subjectRef: string, options?: Partial<Envelope>): Envelope
  /** Signs and posts the exact bytes, and retries on 503 as a partner does. */
  post(body: Envelope | string | Uint8Array, options?: PostOptions): Promise<Answer>
  postOnce(body: Envelope | string | Uint8Array, options?: PostOptions): Promise<Answer>
}

export type PostOptions = {
  secret?: string
  webhookId?: string
  webhookSentAt?: Date
  /** Overrides the usual headers; an empty list removes one. */
  headers?: Record<string, string | string[]>
}

export type PipeWorld<On extends SharedStack = Stack> = AsyncDisposable &
  Omit<Family<On>, typeof Symbol.asyncDispose> & {
    services: Services
    url: string
    lovedOneId: string
    addAgency(options?: {
      active?: boolean
      institutionId?: string
      name?: string
      namespaces?: string[]
    }): Promise<Agency>
    /** Links an agency's client to a loved one. Returns the subject_ref. */
    link(
      agency: Pick<Agency, 'institutionId'>,
      options?: { subjectRef?: string; lovedOneId?: string; shared?: boolean },
    ): Promise<string>
    mintCode(lovedOneId?: string): Promise<string>
    share(agency: Pick<Agency, 'institutionId'>, subjectRef: string, shared: boolean): Promise<void>
    timeline(args?: object): Promise<Timeline>
    /** All event ids on a timeline, newest first. */
    timelineIds(args?: object): Promise<string[]>
    untilOnTimeline(ids: string[], args?: object): Promise<void>
    /** All rows of the pipe and care-circle, as bytes. */
    rows(): AsyncGenerator<Buffer>
  }

// biome-ignore lint/suspicious/noExplicitAny: tests read events of every type
export type Timeline = { events: any[]; pipeAvailable: boolean; nextCursor?: string }

const DEADLINE_MS = 30_000

/** Boots the whole system with one family. */
export async function startPipeWorld(options: StackOptions = {}): Promise<PipeWorld> {
  return openPipe(await startFamily({ ...options, env: { PIPE_EVENTS_PER_MINUTE: '1000000', ...options.env } }))
}

/** The same on a shared stack. */
export function joinPipeWorld(preset: 'mortal'): Promise<PipeWorld<LeasedStack> & { sink: Sink }>
export function joinPipeWorld(
  preset?: PresetName,
  options?: MailOption,
): Promise<PipeWorld<SharedStack> & { sink: Sink }>
export async function joinPipeWorld(
  preset: PresetName = 'standard',
  options?: MailOption,
): Promise<PipeWorld<SharedStack> & { sink: Sink }> {
  const family = await joinFamily(preset, options)
  return { ...(await openPipe(family)), sink: family.sink }
}

async function openPipe<On extends SharedStack>(world: Family<On>): Promise<PipeWorld<On>> {
  const services = await connect(world.stack.target)
  const lovedOneId = world.family.lovedOnes[0]?.id ?? ''
  const url = `${world.stack.apiUrl}/pipe/v1/events`

  async function addAgency({
    active = true,
    institutionId = `agency-${randomText(8)}`,
    namespaces = [] as string[],
    ...given
  }: Parameters<PipeWorld['addAgency']>[0] = {}) {
    const name = given.name ?? `Agency ${institutionId}`
    const dates = { agreementDate: '2026-01-15', reviewDate: '2026-02-20' }
    const { secret, secretId } = await services.pipe.addPartner({ institutionId, name, namespaces, ...dates })
    const agreed = { institutionId, active, agreementDate: '', reviewDate: '' }
    if (active) await untilAnswered(() => services.pipe.setPartnerActive(agreed))
    return agencyOf(url, { institutionId, name, secret, secretId })
  }

  /** A busy machine may answer that it takes too long. */
  async function ask(tool: string, args: object) {
    const call = () => world.call(world.family.keys.owner, tool, args)
    const isDone = ({ json }: Answer) => json?.result?.structuredContent !== undefined
    const { json } = await readUntil(call, isDone, DEADLINE_MS)
    return json.result.structuredContent
  }

  async function mintCode(about = lovedOneId): Promise<string> {
    return (await ask('create_provider_code', { lovedOneId: about })).code
  }

  async function share(
    { institutionId }: Pick<Agency, 'institutionId'>,
    subjectRef: string,
    shared: boolean,
  ): Promise<void> {
    await services.pipe.setFamilyShare({ institutionId, subjectRef, shared })
  }

  async function link(
    agency: Pick<Agency, 'institutionId'>,
    options: Parameters<PipeWorld['link']>[1] = {},
  ): Promise<string> {
    const { subjectRef = `client-${randomText(8)}`, shared = true } = options
    const providerCode = await mintCode(options.lovedOneId)
    await services.pipe.linkSubject({ institutionId: agency.institutionId, subjectRef, providerCode })
    if (shared) await share(agency, subjectRef, true)
    return subjectRef
  }

  async function timeline(args: object = {}): Promise<Timeline> {
    return ask('list_care_events', { lovedOneId, ...args })
  }

  async function timelineIds(args: object = {}): Promise<string[]> {
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const page = await timeline({ limit: 50, ...args, cursor })
      ids.push(...page.events.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return ids
  }

  async function untilOnTimeline(ids: string[], args: object = {}): Promise<void> {
    await until(async () => {
      const found = new Set(await timelineIds(args))
      return ids.every((id) => found.has(id))
    }, DEADLINE_MS)
  }

  async function* rows(): AsyncGenerator<Buffer> {
    for (const name of ['pipe', 'care-circle'] as const) {
      await using client = await openDatabase(world.stack, name)
      // Those of mongod itself are not the service's to read.
      for (const { name: collection } of await client
        .db()
        .listCollections({ name: { $not: /^system\./ } })
        .toArray())
        yield* client.db().collection(collection).find({}, { raw: true }) as unknown as AsyncIterable<Buffer>
    }
  }

  return {
    ...world,
    services,
    url,
    lovedOneId,
    addAgency,
    link,
    mintCode,
    share,
    timeline,
    timelineIds,
    untilOnTimeline,
    rows,
    async [Symbol.asyncDispose]() {
      services[Symbol.dispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

function agencyOf(url: string, facts: Pick<Agency, 'institutionId' | 'name' | 'secret' | 'secretId'>): Agency {
  const { institutionId } = facts
  const postOnce: Agency['postOnce'] = (
    event,
    { secret = facts.secret, headers = {}, webhookId, webhookSentAt } = {},
  ) => {
    const body = typeof event === 'string' || event instanceof Uint8Array ? event : JSON.stringify(event)
    const webhook = webhookId === undefined ? {} : webhookHeaders(webhookId, secret, body, webhookSentAt)
    const signed = { ...signedHeaders(institutionId, secret, body), ...webhook }
    return send(url, { method: 'POST', body, headers: overridden(signed, headers) })
  }
  return {
    ...facts,
    postOnce,
    event: (subjectRef, options) => eventAbout(institutionId, subjectRef, options),
    post: (event, options) => {
      const attempt = () => postOnce(event, options)
      return readUntil(attempt, ({ status }) => status !== 503, DEADLINE_MS)
    },
  }
}

/** Header names are case-insensitive. */
function overridden(headers: Record<string, string>, options: Record<string, string | string[]>) {
  const names = new Set(Object.keys(options).map((name) => name.toLowerCase()))
  const kept = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()))
  const extra = Object.entries(options).filter(([, value]) => value.length > 0)
  return Object.fromEntries([...kept, ...extra])
}
