import { randomInt } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeKeys, rotateKey } from '@family-inbox/deploy/key-folder'
import { STEPS } from '@family-inbox/deploy/rotation'
import { freePort } from '@family-inbox/local-stack/free-port'
import { databaseUri } from '@family-inbox/local-stack/mongo-uri'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { identityKeys } from '@family-inbox/local-stack/secrets'
import { services } from '@family-inbox/local-stack/services'
import { startStack } from '@family-inbox/local-stack/stack'
import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import { PipeServiceService, Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import { newId, randomText } from '@family-inbox/service-kit/ids/ids'
import { dial } from '@family-inbox/service-kit/rpc/dial'
import { createIdentity, type Identity } from '@family-inbox/service-kit/rpc/identity'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import { environmentToConfig } from '../../services/pipe/src/config.ts'
import { startPipe } from '../../services/pipe/src/service.ts'
import { eventAbout, postedEvent } from '../event-pipe/_signed-event.ts'
import { goRound } from './_rounds.ts'

test('the encryption key of partners’ secrets rotates under load, and no signed event is rejected', async (t) => {
  await using stack = new AsyncDisposableStack()
  const stores = stack.use(
    await startStack({ services: services.filter(({ name }) => name === 'care-circle'), ownMongod: true }),
  )
  const keys = await mkdtemp(join(tmpdir(), 'family-inbox-partners-'))
  stack.defer(() => rm(keys, { recursive: true, force: true }))
  await makeKeys(keys, { mongodbUri: stores.mongoUri, smtpUrl: 'smtp://mailpit:1025' })
  const pipe = stack.use(await startReplicas(stores, keys))
  const world = await openWorld(stack, stores, pipe.target)
  const load = startLoad(stack, world, await world.addAgency())
  for (const step of STEPS) {
    await rotateKey(keys, 'pipe', 'PIPE_SECRET_KEYS', step)
    for (const replica of [0, 1] as const) {
      await pipe.roll(replica)
      // In between, too: the replicas are one step apart, and either may encrypt a new secret.
      load.add(await world.addAgency())
      await load.goesOn()
    }
    if (step === 'use') await pipe.roll(0)
  }
  await load.stop()
  t.deepEqual(load.refusals, [])
  t.is(await keysInUse(stores, keys), 1)
})

type Agency = { institutionId: string; secret: string; subjectRef: string }

type World = { addAgency(): Promise<Agency>; post(agency: Agency): Promise<string> }

/** Two replicas of pipe, each with the folder's key at its start. */
async function startReplicas(stores: Stack, keys: string) {
  const { privateKeys, publicKeys } = await identityKeys(stores.dataDir)
  const port = await freePort()
  // Nothing else on this machine listens on these addresses, so the port stays free while a replica restarts.
  const network = `127.${randomInt(64, 255)}.${randomInt(0, 256)}`
  const hosts = [`${network}.1`, `${network}.2`] as const
  const start = async (replica: 0 | 1) =>
    startPipe(
      environmentToConfig({
        LOG_LEVEL: 'error',
        GRPC_HOST: hosts[replica],
        GRPC_PORT: `${port}`,
        SERVICE_KEY: JSON.stringify(privateKeys.pipe),
        SERVICE_KEYS: JSON.stringify(publicKeys),
        MONGODB_URI: databaseUri(stores.mongoUri, 'pipe'),
        NATS_URL: stores.natsUrl,
        CARE_CIRCLE_ADDRESS: stores.addresses['care-circle'],
        PIPE_EVENTS_PER_MINUTE: '1000000',
        PIPE_SECRET_KEYS: await readFile(join(keys, 'pipe/PIPE_SECRET_KEYS'), 'utf8'),
      }),
    )
  const running = [await start(0), await start(1)]
  return {
    target: `ipv4:${hosts.map((host) => `${host}:${port}`).join(',')}`,
    async roll(replica: 0 | 1) {
      await running[replica]?.[Symbol.asyncDispose]()
      running[replica] = await start(replica)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((server) => server[Symbol.asyncDispose]()))
    },
  }
}

/** Everything needed to have agencies and post their events. */
async function openWorld(stack: AsyncDisposableStack, stores: Stack, target: string): Promise<World> {
  const { privateKeys, publicKeys } = await identityKeys(stores.dataDir)
  const [ops, gateway, auth] = await Promise.all(
    [privateKeys.ops, privateKeys.gateway, privateKeys.auth].map((key) => createIdentity(key, publicKeys)),
  )
  const asOperator = dial(PipeServiceService, target, ops as Identity)
  const asGateway = dial(PipeServiceService, target, gateway as Identity)
  const careCircle = dial(CareCircleServiceService, stores.addresses['care-circle'] ?? '', auth as Identity)
  stack.defer(() => [asOperator, asGateway, careCircle].forEach((client) => void client.close()))

  const founder = { personId: newId('per'), credentialId: newId('key'), workspaceId: '', email: 'ines@santos.example' }
  const workspace = { name: 'The Santos family', ownerName: 'Ines Santos', relationship: 'daughter' }
  const signedIn = (await auth?.principalToken(founder, 'auth')) ?? ''
  const { workspaceId } = await careCircle.createWorkspace(workspace, { token: signedIn })
  const token = (await auth?.principalToken({ ...founder, workspaceId }, 'auth')) ?? ''
  const { lovedOne } = await careCircle.addLovedOne({ name: 'Amelia Santos' }, { token })
  return {
    async addAgency() {
      const institutionId = `agency-${randomText(8)}`
      const subjectRef = `client-${randomText(8)}`
      const dates = { agreementDate: '2026-01-15', reviewDate: '2026-02-20' }
      // Signed each time: auth's tokens last a minute.
      const fresh = (await auth?.principalToken({ ...founder, workspaceId }, 'auth')) ?? ''
      const minted = await careCircle.createProviderCode({ lovedOneId: lovedOne?.id ?? '' }, { token: fresh })
      const { secret } = await asOperator.addPartner({ institutionId, name: 'Sunrise', namespaces: [], ...dates })
      await asOperator.setPartnerActive({ institutionId, active: true, ...dates })
      await asOperator.linkSubject({ institutionId, subjectRef, providerCode: minted.code })
      await asOperator.setFamilyShare({ institutionId, subjectRef, shared: true })
      return { institutionId, secret, subjectRef }
    },
    async post({ institutionId, secret, subjectRef }) {
      const posted = postedEvent(eventAbout(institutionId, subjectRef), secret)
      const { decisions } = await asGateway.ingestEvents({ events: [posted] })
      return decisions[0]?.verdict ?? ''
    },
  }
}

/** Posts events of the agencies in turn. */
function startLoad(stack: AsyncDisposableStack, world: World, first: Agency) {
  const agencies = [first]
  const rounds = goRound(stack, (nth) => isAccepted(world, agencies[nth % agencies.length] as Agency))
  return {
    refusals: rounds.refusals,
    stop: rounds.stop,
    add: (agency: Agency) => void agencies.push(agency),
    /** Resolves when each agency has had more events accepted. */
    goesOn: () => rounds.goesOn(2 * agencies.length),
  }
}

/** False where a partner would retry. @throws when the event is rejected */
async function isAccepted(world: World, agency: Agency): Promise<boolean> {
  try {
    const verdict = await world.post(agency)
    if (verdict === Verdict.ACCEPTED) return true
    if (verdict === Verdict.TRY_AGAIN) return false
    throw new Error(verdict)
  } catch (error) {
    if (error instanceof StatusError && /^(UNAVAILABLE|DEADLINE_EXCEEDED)$/.test(error.status)) return false
    throw error
  }
}

/** How many keys encrypt the secrets in the database, including the remaining one. */
async function keysInUse(stores: Stack, keys: string): Promise<number> {
  const { MongoClient } = await import('mongodb')
  await using client = await MongoClient.connect(stores.mongoUri)
  const partners = await client.db('pipe').collection('partners').find().toArray()
  const left = JSON.parse(await readFile(join(keys, 'pipe/PIPE_SECRET_KEYS'), 'utf8')) as string[]
  const ids = partners.flatMap(({ secrets }) => secrets.map(({ sealed }: { sealed: string }) => sealed.split('.')[0]))
  return left.length === 1 ? new Set(ids).size : left.length
}
