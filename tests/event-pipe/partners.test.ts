import { setTimeout as sleep } from 'node:timers/promises'
import { identityKeys, localSecret } from '@family-inbox/local-stack/secrets'
import { PipeServiceService } from '@family-inbox/proto/pipe/v1/pipe'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import test, { type ExecutionContext } from 'ava'
import { connect as connectNats } from 'nats'
import { environmentToConfig } from '../../services/pipe/src/config.ts'
import { startPipe } from '../../services/pipe/src/service.ts'
import { openDatabase } from '../_database.ts'
import { dialAsHolder } from '../_dial-as-holder.ts'
import { dialPatiently } from '../_dial-patiently.ts'
import { outcomeOf, statusOf, untilAnswered } from '../_outcome.ts'
import type { LeasedStack } from '../_shared-stack.ts'
import { until } from '../_wait.ts'
import { type Agency, joinPipeWorld, type PipeWorld } from './_pipe.ts'
import { postedEvent } from './_signed-event.ts'

let world: PipeWorld<LeasedStack>
test.before(async () => {
  world = await joinPipeWorld('mortal')
})
test.after.always(() => world?.[Symbol.asyncDispose]())

const NO_DATES = { agreementDate: '', reviewDate: '' }

test('a partner is activated only with a signed agreement and a passed review', async (t) => {
  const { pipe } = world.services
  const institutionId = `agency-${randomText(8)}`
  await pipe.addPartner({ institutionId, name: 'Sunrise', namespaces: [], ...NO_DATES })
  const activate = (dates: object) => pipe.setPartnerActive({ institutionId, active: true, ...NO_DATES, ...dates })
  t.is(await statusOf(activate({})), 'FAILED_PRECONDITION')
  t.is(await statusOf(activate({ agreementDate: '2026-01-15' })), 'FAILED_PRECONDITION')
  t.is(await statusOf(activate({ reviewDate: '2026-02-20' })), 'FAILED_PRECONDITION')
  for (const reviewDate of ['yesterday', '2026-02-30', '2126-01-01'])
    t.is(await statusOf(activate({ agreementDate: '2026-01-15', reviewDate })), 'INVALID_ARGUMENT')
  const { partner } = await activate({ agreementDate: '2026-01-15', reviewDate: '2026-02-20' })
  t.like(partner, { active: true, agreementDate: '2026-01-15', reviewDate: '2026-02-20' })
})

test('a deactivated partner is refused from its next event, and its past events are hidden', async (t) => {
  const agency = await world.addAgency()
  const lovedOneId = world.family.lovedOnes[1]?.id ?? ''
  const subject = await world.link(agency, { lovedOneId })
  const { json } = await agency.post(agency.event(subject))
  await world.untilOnTimeline([json.event_id], { lovedOneId })
  const { institutionId } = agency
  await world.services.pipe.setPartnerActive({ institutionId, active: false, ...NO_DATES })
  t.is((await agency.post(agency.event(subject))).status, 403)
  t.deepEqual(await world.timeline({ lovedOneId }), { events: [], pipeAvailable: false })
  await world.services.pipe.setPartnerActive({ institutionId, active: true, ...NO_DATES })
  t.is((await agency.post(agency.event(subject))).status, 202)
  t.true((await world.timelineIds({ lovedOneId })).includes(json.event_id))
})

test('an institution id or namespace belongs to one partner', async (t) => {
  const { pipe } = world.services
  const institutionId = `agency-${randomText(8)}`
  const add = (fields: object) =>
    statusOf(pipe.addPartner({ institutionId, name: 'Sunrise', namespaces: [], ...NO_DATES, ...fields }))
  t.is(await add({ namespaces: [`${institutionId}.`] }), 'OK')
  t.is(await add({}), 'ALREADY_EXISTS')
  t.is(await add({ institutionId: 'another', namespaces: [institutionId] }), 'ALREADY_EXISTS')
  for (const wrong of ['', 'two words', '.x', 'x.', 'x'.repeat(101), '{"$gt":""}'])
    t.is(await add({ institutionId: wrong }), 'INVALID_ARGUMENT', wrong)
  t.is(await add({ institutionId: 'yet-another', name: ' ' }), 'INVALID_ARGUMENT')
})

test('only the operator makes the operator’s calls, and only services make theirs', async (t) => {
  const { privateKeys, publicKeys } = await identityKeys(world.stack.dataDir)
  const address = world.stack.addresses.pipe ?? ''
  const subject = { institutionId: 'x', subjectRef: 'y' }
  for (const service of ['gateway', 'site', 'care-circle', 'ops'] as const) {
    const pipe = dialPatiently(PipeServiceService, address, await createIdentity(privateKeys[service], publicKeys))
    const outcomes = {
      operator: await Promise.all([
        statusOf(pipe.addPartner({ institutionId: '', name: '', namespaces: [], ...NO_DATES })),
        statusOf(pipe.listPartners({ pageSize: 0, pageToken: '' })),
        statusOf(pipe.setPartnerActive({ institutionId: 'x', active: true, ...NO_DATES })),
        statusOf(pipe.rotateSecret({ institutionId: 'x', overlapSec: 0 })),
        statusOf(pipe.listSecrets({ institutionId: 'x' })),
        statusOf(pipe.revokeSecret({ institutionId: 'x', secretId: 'y' })),
        statusOf(pipe.linkSubject({ ...subject, providerCode: 'z' })),
        statusOf(pipe.setFamilyShare({ ...subject, shared: true })),
        statusOf(pipe.purgeSubject(subject)),
      ]),
      'care-circle': await Promise.all([
        statusOf(pipe.checkSharing({ linkIds: ['x'] })),
        statusOf(pipe.listSharedLinks({ workspaceId: 'x', lovedOneId: 'y' })),
      ]),
      gateway: [await statusOf(pipe.ingestEvents({ events: [] }))],
    }
    const isDenied = (outcome: string) => outcome === 'PERMISSION_DENIED'
    t.is(outcomes.operator.some(isDenied), service !== 'ops', service)
    t.is(outcomes.operator.every(isDenied), service !== 'ops', service)
    t.is(outcomes['care-circle'].every(isDenied), service !== 'care-circle', service)
    t.is(outcomes.gateway.every(isDenied), service !== 'gateway', service)
    t.is(await statusOf(pipe.listLinkedProviders({ lovedOneId: '' })), 'PERMISSION_DENIED')
    pipe.close()
  }
})

test('a secret is rotated under load without a refusal, and the old one expires', async (t) => {
  const agency = await world.addAgency()
  const subject = await world.link(agency)
  let secret = agency.secret
  let isOver = false
  const statuses: number[] = []
  const work = async () => {
    while (!isOver) {
      statuses.push((await agency.post(agency.event(subject), { secret })).status)
      await sleep(10)
    }
  }
  const load = Promise.all([work(), work(), work(), work()])
  const { institutionId } = agency
  for (let rotation = 0; rotation < 2; rotation += 1) {
    const rotated = await world.services.pipe.rotateSecret({ institutionId, overlapSec: 3 })
    await sleep(500)
    const old = secret
    secret = rotated.secret
    t.is((await agency.post(agency.event(subject), { secret: old })).status, 202, 'the old one is good for the overlap')
    await until(async () => (await agency.post(agency.event(subject), { secret: old })).status === 401)
    t.true(Date.now() >= Number(rotated.previousExpiresAt) - 100, 'the old one ends when it was said to')
  }
  isOver = true
  await load
  t.true(statuses.length > 50)
  t.deepEqual([...new Set(statuses)], [202])
})

test('while two secrets are valid a third cannot be added, and the list shows when the older one expires', async (t) => {
  const { pipe } = world.services
  const { institutionId, secretId } = await world.addAgency()
  const { previousExpiresAt } = await pipe.rotateSecret({ institutionId, overlapSec: 0 })
  const again = await outcomeOf(pipe.rotateSecret({ institutionId, overlapSec: 0 }))
  t.like(again, { status: 'FAILED_PRECONDITION' })
  const { secrets } = await pipe.listSecrets({ institutionId })
  t.is(secrets.length, 2)
  t.like(secrets[0], { live: true, expiresAt: undefined })
  t.like(secrets[1], { id: secretId, live: true, expiresAt: previousExpiresAt })
  t.true(Math.abs(Number(previousExpiresAt) - Date.now() - 7 * 24 * 60 * 60 * 1000) < 60_000)
})

test('a revoked secret fails at the next event, and the last one cannot be revoked', async (t) => {
  const { pipe } = world.services
  const agency = await world.addAgency()
  const { institutionId, secretId } = agency
  const subject = await world.link(agency)
  const status = async (secret: string) => (await agency.post(agency.event(subject), { secret })).status
  const revoke = (id: string) => statusOf(pipe.revokeSecret({ institutionId, secretId: id }))
  t.is(await revoke(secretId), 'FAILED_PRECONDITION')
  t.is(await revoke('sec_unknown'), 'NOT_FOUND')
  const second = await pipe.rotateSecret({ institutionId, overlapSec: 60 })
  t.is(await revoke(secretId), 'OK')
  t.is(await status(agency.secret), 401)
  t.is(await status(second.secret), 202)
  const third = await pipe.rotateSecret({ institutionId, overlapSec: 1 })
  t.is(await revoke(third.secretId), 'OK')
  await until(async () => (await status(third.secret)) === 401, 1200)
  t.is(await status(second.secret), 202, 'without its successor it has no end')
})

test('two simultaneous rotations create one new secret', async (t) => {
  const { pipe } = world.services
  const { institutionId } = await world.addAgency()
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, () => statusOf(pipe.rotateSecret({ institutionId, overlapSec: 60 }))),
  )
  t.is(outcomes.filter((outcome) => outcome === 'OK').length, 1)
  t.is((await pipe.listSecrets({ institutionId })).secrets.length, 2)
})

test('no secret is stored in plain text', async (t) => {
  const { pipe } = world.services
  const agency = await world.addAgency()
  const { secret } = await pipe.rotateSecret({ institutionId: agency.institutionId, overlapSec: 60 })
  await world.link(agency)
  for await (const row of world.rows()) {
    t.false(row.includes(agency.secret.slice(5)))
    t.false(row.includes(secret.slice(5)))
  }
})

test.serial('the encryption key can be replaced, and an undecryptable secret is a 503, not a refusal', async (t) => {
  const agency = await world.addAgency()
  const subject = await world.link(agency)
  const oldKeys = JSON.parse(await localSecret(world.stack.dataDir, 'PIPE_SECRET_KEYS', 'key-list'))
  const newKey = Buffer.alloc(32, 7).toString('base64url')
  const sealedWith = async () => (await secretsOf(agency)).map(({ sealed }) => sealed?.split('.')[0])
  const [before] = await sealedWith()
  await using replica = await startReplica([newKey, ...oldKeys])
  const [after] = await sealedWith()
  t.not(after, before)
  t.is(await replica.ingest(agency, subject), 'VERDICT_ACCEPTED')
  t.is((await agency.postOnce(agency.event(subject))).status, 503)
  await using again = await startReplica([...oldKeys, newKey])
  t.deepEqual(await sealedWith(), [before])
  t.is(await again.ingest(agency, subject), 'VERDICT_ACCEPTED')
  t.is((await agency.post(agency.event(subject))).status, 202)
})

test('a code links one subject once, and sharing is off until it is turned on', async (t) => {
  const agency = await world.addAgency()
  const { pipe } = world.services
  const { institutionId } = agency
  const providerCode = await world.mintCode()
  const link = (subjectRef: string, code = providerCode) =>
    statusOf(pipe.linkSubject({ institutionId, subjectRef, providerCode: code }))
  t.is(await link('a', 'NOTACODE'), 'NOT_FOUND')
  t.is(await statusOf(pipe.linkSubject({ institutionId: 'nobody', subjectRef: 'a', providerCode })), 'NOT_FOUND')
  t.is(await link('', providerCode), 'INVALID_ARGUMENT')
  t.is(await link('a'), 'OK')
  t.is(await link('a'), 'ALREADY_EXISTS')
  t.is(await link('b'), 'NOT_FOUND', 'the code is used')
  t.is((await agency.post(agency.event('a'))).status, 404)
  await world.share(agency, 'a', true)
  t.is((await agency.post(agency.event('a'))).status, 202)
  t.is(await statusOf(pipe.setFamilyShare({ institutionId, subjectRef: 'b', shared: true })), 'NOT_FOUND')
})

test('a family’s members see its linked agencies, and others do not', async (t) => {
  const agency = await world.addAgency()
  const subject = await world.link(agency, { shared: false })
  const another = await world.another()
  const [mine, theirs] = await Promise.all([principalOf(world.family.workspaceId), principalOf(another.workspaceId)])
  const pipe = await dialAsHolder(PipeServiceService, world.stack.addresses.pipe ?? '', world.stack, 'ops')
  t.teardown(() => pipe.close())
  const ask = async (token: string, lovedOneId = world.lovedOneId) =>
    (await pipe.listLinkedProviders({ lovedOneId }, { token })).providers
  const own = async () => (await ask(mine)).find(({ institutionId }) => institutionId === agency.institutionId)
  t.like(await own(), { name: agency.name, lovedOneId: world.lovedOneId, shared: false })
  await world.share(agency, subject, true)
  t.like(await own(), { shared: true })
  t.deepEqual(await ask(theirs, ''), [])
  t.is(await statusOf(ask(theirs)), 'NOT_FOUND')
})

test('while family-share is off, events are neither accepted nor shown', async (t) => {
  const agency = await world.addAgency()
  const subject = await world.link(agency)
  const { json } = await agency.post(agency.event(subject))
  await world.untilOnTimeline([json.event_id])
  await world.share(agency, subject, false)
  t.is((await agency.post(agency.event(subject))).status, 404)
  t.false((await world.timelineIds()).includes(json.event_id))
  await world.share(agency, subject, true)
  t.true((await world.timelineIds()).includes(json.event_id))
})

test.serial('a purge leaves no event content anywhere, and is final', async (t) => {
  const agency = await world.addAgency()
  const { institutionId } = agency
  const subject = await world.link(agency)
  const canary = `CANARY-${randomText(12)}`
  const payload = { caregiver_id: 'c', note_text: canary }
  const events = Array.from({ length: 5 }, (_, index) =>
    agency.event(subject, { payload, ...(index === 0 && { event_id: undefined }) }),
  )
  const answers = await Promise.all(events.map((event) => agency.post(event)))
  await world.untilOnTimeline(answers.map(({ json }) => json.event_id))
  await world.stack.pause('care-circle')
  const waiting = agency.post(agency.event(subject, { payload }))
  t.is((await waiting).status, 202, 'this one waits in the stream')
  t.true(await isAnywhere(canary))
  const purge = world.services.pipe.purgeSubject({ institutionId, subjectRef: subject })
  t.is(await statusOf(purge), 'UNAVAILABLE', 'the timeline is not purged yet')
  t.is((await agency.post(agency.event(subject, { payload }))).status, 404)
  world.stack.resume('care-circle')

  const { eventsDeleted } = await untilAnswered(() =>
    world.services.pipe.purgeSubject({ institutionId, subjectRef: subject }),
  )
  t.is(eventsDeleted, 6)
  t.false(await isAnywhere(canary))
  t.is((await world.services.pipe.purgeSubject({ institutionId, subjectRef: subject })).eventsDeleted, 6)

  for (const event of events) t.is((await agency.post(event)).status, 404)
  await linkAgain(t, agency, subject)
  for (const [index, event] of events.entries()) {
    const again = await agency.post(event)
    t.deepEqual(again.json, answers[index]?.json, 'a purged event is still a duplicate, and stays purged')
  }
  const { json } = await agency.post(agency.event(subject))
  await world.untilOnTimeline([json.event_id])
  t.false(await isAnywhere(canary))
  const shown = await world.timelineIds()
  for (const answer of answers) t.false(shown.includes(answer.json.event_id))
})

test.serial('events in flight during a purge leave nothing either', async (t) => {
  const agency = await world.addAgency()
  const { institutionId } = agency
  for (let round = 0; round < 5; round += 1) {
    const subject = await world.link(agency)
    const canary = `CANARY-${randomText(12)}`
    const payload = { caregiver_id: 'c', note_text: canary }
    const posts = Array.from({ length: 30 }, async (_, index) => {
      await sleep(index * 3)
      return agency.post(agency.event(subject, { payload }))
    })
    await sleep(45)
    await untilAnswered(() => world.services.pipe.purgeSubject({ institutionId, subjectRef: subject }))
    const statuses = new Set((await Promise.all(posts)).map(({ status }) => status))
    t.true(
      [...statuses].every((status) => status === 202 || status === 404),
      `${[...statuses]}`,
    )
    await until(async () => !(await isAnywhere(canary)))
  }
})

test.serial('a purge leaves other families’ events in the stream', async (t) => {
  const agency = await world.addAgency()
  const { institutionId } = agency
  const [purged, kept] = [await world.link(agency), await world.link(agency)]
  const canary = (subject: string) => `CANARY-${subject}`
  const post = (subject: string) =>
    agency.post(agency.event(subject, { payload: { caregiver_id: 'c', note_text: canary(subject) } }))
  await world.stack.pause('care-circle')
  const answers = await Promise.all(Array.from({ length: 20 }, () => [post(purged), post(kept)]).flat())
  t.true(answers.every(({ status }) => status === 202))
  const waiting = async (subject: string) => (await waitingMessages()).filter((data) => data.includes(canary(subject)))
  t.true(
    (await waiting(purged)).some((data) => data.includes(canary(kept))),
    'some wait in one message',
  )
  t.is(await statusOf(world.services.pipe.purgeSubject({ institutionId, subjectRef: purged })), 'UNAVAILABLE')
  t.deepEqual(await waiting(purged), [])
  t.not((await waiting(kept)).length, 0)
  world.stack.resume('care-circle')
  await untilAnswered(() => world.services.pipe.purgeSubject({ institutionId, subjectRef: purged }))
  await world.untilOnTimeline(answers.flatMap(({ json }, index) => (index % 2 === 1 ? json.event_id : [])))
})

async function linkAgain(t: ExecutionContext, agency: Agency, subjectRef: string): Promise<void> {
  const { institutionId } = agency
  const providerCode = await world.mintCode()
  t.is(await statusOf(world.services.pipe.linkSubject({ institutionId, subjectRef, providerCode })), 'OK')
  await world.share(agency, subjectRef, true)
}

async function isAnywhere(text: string): Promise<boolean> {
  for await (const row of world.rows())
    if (row.includes(text) || row.includes(Buffer.from(text).toString('base64').slice(0, -4))) return true
  return (await waitingMessages()).some((data) => data.includes(text))
}

async function waitingMessages(): Promise<Buffer[]> {
  const nats = await connectNats({ servers: world.stack.natsUrl, ...natsLogin(world.stack.opsKey) })
  try {
    const waiting: Buffer[] = []
    const manager = await nats.jetstreamManager()
    for await (const { config, state } of manager.streams.list()) {
      for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
        const message = await manager.streams.getMessage(config.name, { seq }).catch(() => undefined)
        if (message) waiting.push(Buffer.from(message.data))
      }
    }
    return waiting
  } finally {
    await nats.close()
  }
}

async function secretsOf({ institutionId }: Agency): Promise<{ sealed?: string }[]> {
  await using client = await openDatabase(world.stack, 'pipe')
  const row = await client
    .db()
    .collection<{ _id: string; secrets: { sealed?: string }[] }>('partners')
    .findOne({ _id: institutionId })
  return row?.secrets ?? []
}

/** A second pipe replica in this process, with its own encryption keys. */
async function startReplica(keys: string[]) {
  const { privateKeys, publicKeys } = await identityKeys(world.stack.dataDir)
  const replica = await startPipe(
    environmentToConfig({
      LOG_LEVEL: 'error',
      GRPC_HOST: '127.0.0.1',
      GRPC_PORT: '0',
      SERVICE_KEY: JSON.stringify(privateKeys.pipe),
      SERVICE_KEYS: JSON.stringify(publicKeys),
      MONGODB_URI: world.stack.databaseUri('pipe'),
      NATS_URL: world.stack.natsUrl,
      CARE_CIRCLE_ADDRESS: world.stack.addresses['care-circle'],
      PIPE_SECRET_KEYS: JSON.stringify(keys),
    }),
  )
  const identity = await createIdentity(privateKeys.gateway, publicKeys)
  const pipe = dialPatiently(PipeServiceService, `127.0.0.1:${replica.port}`, identity)
  return {
    async ingest(agency: Agency, subjectRef: string): Promise<string | undefined> {
      const posted = postedEvent(agency.event(subjectRef), agency.secret)
      return (await pipe.ingestEvents({ events: [posted] })).decisions[0]?.verdict
    },
    async [Symbol.asyncDispose]() {
      pipe.close()
      await replica[Symbol.asyncDispose]()
    },
  }
}

async function principalOf(workspaceId: string): Promise<string> {
  await using client = await openDatabase(world.stack, 'care-circle')
  const member = await client.db().collection('members').findOne({ workspaceId })
  const { privateKeys, publicKeys } = await identityKeys(world.stack.dataDir)
  const auth = await createIdentity(privateKeys.auth, publicKeys)
  return auth.principalToken({ personId: member?.personId, workspaceId, credentialId: 'key_test' }, 'site')
}
