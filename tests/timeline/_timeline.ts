import type { Stack } from '@family-inbox/local-stack/run-stack'
import { identityKeys } from '@family-inbox/local-stack/secrets'
import { services } from '@family-inbox/local-stack/services'
import type { StackOptions } from '@family-inbox/local-stack/stack'
import type { ListCareEventsRequest, ListCareEventsResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type AcceptedEvent, AcceptedEvents } from '@family-inbox/proto/careevents/v1/care_event'
import { PipeServiceService } from '@family-inbox/proto/pipe/v1/pipe'
import { newId, randomText } from '@family-inbox/service-kit/ids/ids'
import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import type { RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import { CARE_EVENT_STREAM, CARE_EVENT_SUBJECT } from '@family-inbox/workspace-kit/care-events'
import { connect, type NatsConnection } from 'nats'
import { dialPatiently } from '../_dial-patiently.ts'
import { untilAnswered } from '../_outcome.ts'
import { until } from '../_wait.ts'
import { type CareCircle, type Circle, startCircle, type Workspace } from '../care-circle/_circle.ts'

/** An agency's client linked to a loved one. */
export type Subject = { institutionId: string; subjectRef: string; linkId: string }

export type Timeline = AsyncDisposable & {
  circle: Circle<Stack>
  pipe: RpcClient<typeof PipeServiceService>
  /** care-circle's calls for the operator. */
  ops: CareCircle
  nats: NatsConnection
  /** Creates a workspace with a loved one. This and the following calls retry while the machine is busy. */
  workspace(): Promise<Workspace>
  /** Adds an agency and links a client to the loved one, with sharing on. */
  link(workspace: Workspace): Promise<Subject>
  share(subject: Subject, shared: boolean): Promise<void>
  purge(subject: Subject): Promise<number>
  /** An event as the pipe would have accepted it. */
  event(workspace: Workspace, subject: Subject, words?: Partial<AcceptedEvent>): AcceptedEvent
  /** Publishes each event as its own message, without deduplication. */
  send(...events: AcceptedEvent[]): Promise<void>
  /** Publishes events as one message. */
  sendTogether(...events: AcceptedEvent[]): Promise<void>
  sendBytes(data: Uint8Array): Promise<void>
  /** What the owner sees, 50 per page, without retries. */
  list(workspace: Workspace, words?: Partial<ListCareEventsRequest>): Promise<ListCareEventsResponse>
  /** All pages together. */
  ids(workspace: Workspace, words?: Partial<ListCareEventsRequest>): Promise<string[]>
  /** Resolves when no message of these subjects is pending. */
  settled(...subjects: Subject[]): Promise<void>
}

const DATES = { agreementDate: '2026-01-15', reviewDate: '2026-02-01' }

/** Boots care-circle and the pipe with their real databases and stream. */
export async function startTimeline(options: StackOptions = {}): Promise<Timeline> {
  const needed = services.filter(({ name }) => name === 'care-circle' || name === 'pipe')
  const circle = await startCircle({ ...options, services: needed })
  const { stack, careCircle } = circle
  const { privateKeys, publicKeys } = await identityKeys(stack.dataDir)
  const identity = await createIdentity(privateKeys.ops, publicKeys)
  const pipe = dialPatiently(PipeServiceService, stack.addresses.pipe ?? '', identity)
  const ops = await circle.as('ops')
  const nats = await connect({
    servers: stack.natsUrl,
    ...natsLogin(stack.opsKey),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  })

  async function link({ lovedOneId, owner }: Workspace): Promise<Subject> {
    const institutionId = `agency-${randomText(8)}`
    await pipe.addPartner({ institutionId, name: 'Sunrise Home Care', ...DATES, namespaces: [] })
    await pipe.setPartnerActive({ institutionId, active: true, ...DATES })
    const { code } = await careCircle.createProviderCode({ lovedOneId }, { token: owner.token })
    const subject = { institutionId, subjectRef: `client-${randomText(8)}` }
    const { linkId } = await pipe.linkSubject({ ...subject, providerCode: code })
    await pipe.setFamilyShare({ ...subject, shared: true })
    return { ...subject, linkId }
  }

  async function sendBytes(data: Uint8Array): Promise<void> {
    await nats.jetstream().publish(CARE_EVENT_SUBJECT, data, { timeout: 10_000 })
  }

  const sendTogether = (...events: AcceptedEvent[]) => sendBytes(AcceptedEvents.encode({ events }).finish())

  async function list({ workspaceId, lovedOneId, owner }: Workspace, words: Partial<ListCareEventsRequest> = {}) {
    const all = { pageSize: 50, pageToken: '', since: undefined, until: undefined, eventTypes: [] }
    // A principal lives for a minute; a test may take longer.
    const token = await owner.keyIn(workspaceId)
    return careCircle.listCareEvents({ lovedOneId, ...all, ...words }, { token })
  }

  return {
    circle,
    pipe,
    ops,
    nats,
    workspace: () => untilAnswered(() => circle.workspace()),
    link: (workspace) => untilAnswered(() => link(workspace)),
    sendTogether,
    sendBytes,
    list,
    async share({ institutionId, subjectRef }, shared) {
      await untilAnswered(() => pipe.setFamilyShare({ institutionId, subjectRef, shared }))
    },
    async purge({ institutionId, subjectRef }) {
      const { eventsDeleted } = await untilAnswered(() => pipe.purgeSubject({ institutionId, subjectRef }))
      return eventsDeleted
    },
    event: ({ workspaceId, lovedOneId }, { institutionId, linkId }, words = {}) => ({
      eventId: newId('evt'),
      linkId,
      workspaceId,
      lovedOneId,
      institutionId,
      eventType: 'note_added',
      occurredAt: new Date('2026-05-12T08:00:00Z'),
      receivedAt: new Date('2026-05-12T08:00:01Z'),
      payload: Buffer.from(JSON.stringify({ caregiver_id: 'CG-17', note_text: 'Ate well.' })),
      ...words,
    }),
    async send(...events) {
      await Promise.all(events.map((event) => sendTogether(event)))
    },
    async ids(workspace, words = {}) {
      const ids: string[] = []
      for (let pageToken = ''; ; ) {
        const { events, nextPageToken } = await untilAnswered(() => list(workspace, { ...words, pageToken }))
        ids.push(...events.map(({ id }) => id))
        if (nextPageToken === '') return ids
        pageToken = nextPageToken
      }
    },
    async settled(...subjects) {
      const isTheirs = (data: Uint8Array) => subjects.some(({ linkId }) => Buffer.from(data).includes(linkId))
      await until(async () => !(await waitingMessages(nats)).some(isTheirs))
    },
    async [Symbol.asyncDispose]() {
      pipe.close()
      await nats.close()
      await circle[Symbol.asyncDispose]()
    },
  }
}

export const at = (second: number) => new Date(Date.UTC(2026, 4, 12, 8, 0, second))

/** A workspace with a shared subject and its events, oldest first. */
export async function worldOf({ workspace, link, event }: Timeline, count: number) {
  const family = await workspace()
  const subject = await link(family)
  const events = Array.from({ length: count }, (_, index) => event(family, subject, { occurredAt: at(index) }))
  return { family, subject, events }
}

/** Waits until all events are shown. @returns whether each is shown once and in order */
export async function areAllThere({ ids }: Timeline, { family, events }: Awaited<ReturnType<typeof worldOf>>) {
  const expected = events.map(({ eventId }: AcceptedEvent) => eventId).reverse()
  await until(async () => (await ids(family)).length >= expected.length)
  return JSON.stringify(await ids(family)) === JSON.stringify(expected)
}

/** The messages that are pending or being redelivered. */
async function waitingMessages(nats: NatsConnection): Promise<Uint8Array[]> {
  const { streams } = await nats.jetstreamManager()
  const { first_seq, last_seq } = (await streams.info(CARE_EVENT_STREAM)).state
  const messages = Array.from({ length: Math.max(0, last_seq - first_seq + 1) }, (_, index) =>
    streams.getMessage(CARE_EVENT_STREAM, { seq: first_seq + index }).catch(() => undefined),
  )
  return (await Promise.all(messages)).flatMap((message) => message?.data ?? [])
}
