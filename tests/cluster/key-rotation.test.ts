import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rotateKey } from '@family-inbox/deploy/key-folder'
import { STEPS } from '@family-inbox/deploy/rotation'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { dial } from '@family-inbox/service-kit/rpc/dial'
import { createIdentity, type Identity } from '@family-inbox/service-kit/rpc/identity'
import test from 'ava'
import { codeOfServices } from './_code.ts'
import { buildOverlays, theOnly } from './_manifests.ts'
import { hasContainers, layOutImage, openMachine, type RunningPod } from './_pods.ts'
import { probe } from './_probes.ts'
import { countRefused } from './_refused-by-nats.ts'
import { goRound, type Rounds } from './_rounds.ts'
import { startStores } from './_stores.ts'

const SERVICES = ['auth', 'care-circle']
const REPLICAS = [0, 1]
const START_MS = 60_000

const onLinux = hasContainers ? test : test.skip

onLinux('auth’s key is replaced step by step under load, and no caller is refused', async (t) => {
  await using stack = new AsyncDisposableStack()
  const cluster = await startCluster(stack)
  const before = JSON.parse(await readFile(join(cluster.keys, 'auth/SERVICE_KEY'), 'utf8'))
  const load = await startLoad(stack, cluster)
  for (const step of STEPS) {
    await rotateKey(cluster.keys, 'auth', 'SERVICE_KEY', step)
    await cluster.reloadNatsUsers()
    // Only auth signs; everyone needs the public keys.
    for (const service of step === 'use' ? ['auth'] : SERVICES) await cluster.roll(service)
    await load.goesOn(3)
    const isForgotten = step === 'retire'
    t.is(await isBelieved(cluster, before), !isForgotten, `what the old key signs, after ${step}`)
  }
  await load.stop()
  t.deepEqual(load.refusals, [])
  t.is(countRefused(await readFile(cluster.natsLog, 'utf8')), 0, 'nobody was refused by NATS')
  t.true(load.done() > 10, `${load.done()} rounds`)
})

type Cluster = {
  keys: string
  reloadNatsUsers(): Promise<void>
  natsLog: string
  /** Both replicas of a service, for a client that spreads its calls. */
  target(service: string): string
  /** Restarts the replicas one by one. */
  roll(service: string): Promise<void>
}

async function startCluster(stack: AsyncDisposableStack): Promise<Cluster> {
  const built = (await buildOverlays()).find(({ name }) => name === 'local')
  if (!built) throw new Error('the overlay local is missing')
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-rotation-'))
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  const { natsUrl, keys, reloadUsers, natsLog } = await startStores(stack, dir)
  const machine = stack.use(await openMachine(built, [...codeOfServices().keys()]))
  const images = new Map<string, string>()
  for (const service of SERVICES) images.set(service, stack.use(await layOutImage(service)).dir)
  const pods = new Map<string, RunningPod>()

  async function start(service: string, replica: number) {
    const deployment = theOnly(built as NonNullable<typeof built>, 'Deployment', service)
    const image = images.get(service) ?? ''
    const pod = await machine.start(deployment, { image, keys, replica, instead: { NATS_URL: natsUrl } })
    pods.set(`${service} ${replica}`, pod)
    await waitFor(async () => (await probe(deployment, 'readinessProbe', pod.address)) || undefined, {
      timeoutMs: START_MS,
      everyMs: 50,
      timeout: () => new Error(`${service} is not ready\n${pod.output()}`),
    })
  }

  await Promise.all(SERVICES.flatMap((service) => REPLICAS.map((replica) => start(service, replica))))
  return {
    keys,
    reloadNatsUsers: reloadUsers,
    natsLog,
    target: (service) => `ipv4:${REPLICAS.map((replica) => `${machine.addressOf(service, replica)}:50051`).join(',')}`,
    async roll(service) {
      for (const replica of REPLICAS) {
        await pods.get(`${service} ${replica}`)?.stop(15_000)
        await start(service, replica)
      }
    },
  }
}

/** Signs people up one by one: auth signs, care-circle verifies, and auth calls care-circle. */
async function startLoad(stack: AsyncDisposableStack, cluster: Cluster): Promise<Rounds> {
  const clients = await connect(cluster, await operator(cluster))
  stack.defer(() => clients.close())
  return goRound(stack, async () => {
    try {
      await signUp(clients)
      return true
    } catch (error) {
      if (isLate(error)) return false
      throw error
    }
  })
}

function isLate(error: unknown): boolean {
  const { status, message } = error as { status?: string; message?: string }
  return status === 'DEADLINE_EXCEEDED' || message?.startsWith('This is taking too long') === true
}

async function signUp({ auth, careCircle }: Awaited<ReturnType<typeof connect>>) {
  const email = `${randomText(10)}@almeida.example`
  const { principal } = await auth.createPerson({ email, name: 'Ana Almeida' })
  const workspace = { name: 'The Almeida family', ownerName: 'Ana Almeida', relationship: 'daughter' }
  const { workspaceId } = await careCircle.createWorkspace(workspace, { token: principal })
  await auth.switchWorkspace({ workspaceId }, { token: principal })
}

async function operator({ keys }: Cluster): Promise<Identity> {
  const json = async (file: string) => JSON.parse(await readFile(join(keys, file), 'utf8'))
  return createIdentity(await json('ops/SERVICE_KEY'), await json('service-keys/SERVICE_KEYS'))
}

async function connect({ target }: Cluster, identity: Identity) {
  const auth = dial(AuthServiceService, target('auth'), identity)
  const careCircle = dial(CareCircleServiceService, target('care-circle'), identity)
  return {
    auth,
    careCircle,
    close() {
      auth.close()
      careCircle.close()
    },
  }
}

/** Whether care-circle still accepts signatures of this key. */
async function isBelieved(cluster: Cluster, key: object): Promise<boolean> {
  const signer = await createIdentity(key, { keys: [] })
  const claims = { personId: 'per_1', workspaceId: '', credentialId: 'setup_1', email: 'ana@almeida.example' }
  const token = await signer.principalToken(claims, 'ops')
  const clients = await connect(cluster, await operator(cluster))
  try {
    await clients.careCircle.listWorkspaces({}, { token })
    return true
  } catch (error) {
    if ((error as { status?: string }).status === 'UNAUTHENTICATED') return false
    throw error
  } finally {
    clients.close()
  }
}
