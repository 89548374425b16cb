import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import anyTest, { type TestFn } from 'ava'
import { Visitor } from '../_visitor.ts'
import { deliver, plainMail } from '../inbox/_smtp-client.ts'
import { CAN_BUILD_IMAGES } from './_build-image.ts'
import type { Container } from './_container.ts'
import { buildNewer, type Household, IMAGE, NEWER, openHousehold } from './_household.ts'

type World = Household & {
  /** What one test leaves to the next. */
  household: { server: Container; visitor: Visitor; inboxAddress: string }
  cleanUp: AsyncDisposableStack
}

const test = anyTest.serial as TestFn<World>
/** Skipped where Debian's buildah, runc and mmdebstrap are not installed, its packages are out of reach, or without root. */
const withImages = CAN_BUILD_IMAGES ? test : test.skip

const MB = 1e6
test.before('build the image and give it a volume', async (t) => {
  if (!CAN_BUILD_IMAGES) return
  const cleanUp = new AsyncDisposableStack()
  t.context = { cleanUp } as World
  Object.assign(t.context, await openHousehold(cleanUp), { household: {} })
})
test.after.always((t) => t.context.cleanUp?.disposeAsync())

withImages('the image is small and says what it is and what it needs', async (t) => {
  const { images, config } = t.context
  const { version } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'))
  t.is(config.Labels['org.opencontainers.image.version'], version)
  t.deepEqual(Object.keys(config.Volumes ?? {}), ['/data'])
  t.deepEqual(Object.keys(config.ExposedPorts).sort(), ['2525/tcp', '8080/tcp'])
  const bytes = await images.bytesOf(IMAGE)
  t.log(`${Math.round(bytes / MB)} MB`)
  t.true(bytes < 436 * MB)
})

withImages(
  'it starts with the settings of compose.yaml, as no root and with nothing to write on but its volume',
  async (t) => {
    const server = await t.context.start()
    t.context.household.server = server
    t.log(`first start: ready in ${await server.untilReady()} s`)
    t.true((await server.processes()).every(({ uid }) => uid === 10_001))
    t.not((await server.exec('touch', '/app/new')).code, 0)
    const [, ...health] = t.context.config.Healthcheck.Test
    t.is((await server.exec(...health)).code, 0)
    t.notRegex(server.output(), /sk-sand-|demo family/)
  },
)

withImages('a family sets itself up with the code from the log, and a letter arrives', async (t) => {
  const { ports, household } = t.context
  const { server } = household
  const [code = ''] = /\b\w{4}-\w{4}-\w{4}-\w{4}\b/.exec(server.output()) ?? []
  const ana = { code, name: 'Ana', email: 'ana@silva.example', familyName: 'The Silva family' }
  const reachedAt = `http://127.0.0.1:${ports.http}`
  const visitor = new Visitor({ stack: { inboxUrl: 'https://inbox.family.example', reachedAt } })
  const created = await visitor.insist('/set-up', ana)
  t.is(created.status, 303)
  const added = await visitor.submit('/care-circle/loved-ones/new', { name: 'Rosa Silva' })
  const page = await visitor.get(added.headers.location ?? '/')
  const [address = ''] = /[\w.+-]+@in\.family\.example/.exec(page.text) ?? []
  Object.assign(household, { visitor, inboxAddress: address })
  t.regex(await deliver(ports.smtp, address, plainMail('Blood test on Monday')), /^250/)
  t.regex((await visitor.get('/')).text, /Blood test on Monday/)
})

withImages('a second container on the same volume changes nothing and gives up', async (t) => {
  const second = await t.context.start()
  t.is(await second.ended(), 1)
  t.regex(second.output(), /timeout while waiting to get lock/)
})

withImages('killed without warning, it starts again on its volume with all mail', async (t) => {
  const { start, household } = t.context
  const { server } = household
  await server.signal('KILL')
  await server.ended()
  const again = await start()
  household.server = again
  t.log(`after a kill: ready in ${await again.untilReady()} s`)
  await hasEverything(t)
})

withImages('the operator’s commands run in it by the names in all documents', async (t) => {
  const { server } = t.context.household
  const key = await server.exec('npm', 'run', '-s', 'backup', '--', 'key')
  t.regex(key.output, /AGE-SECRET-KEY-1/)
  const doctor = await server.exec('npm', 'run', '-s', 'ops', '--', 'doctor', '--json')
  t.true(JSON.parse(doctor.output).findings.length > 5)
  t.is((await server.exec('npm', 'start')).code, 1)
})

withImages('told to stop, it ends without a kill, and starts sooner the next time', async (t) => {
  const { start, household } = t.context
  const { server } = household
  const before = performance.now()
  await server.signal('TERM')
  t.is(await server.ended(), 0)
  t.log(`stopped in ${Math.round(performance.now() - before)} ms`)
  t.regex(server.output(), /Stopping…/)
  const again = await start()
  household.server = again
  t.log(`from a kept volume: ready in ${await again.untilReady()} s`)
  const bytes = (await again.processes()).reduce((sum, each) => sum + each.bytes, 0)
  t.log(`${Math.round(bytes / MB)} MB of memory`)
})

withImages(
  'a newer image backs the volume up and takes it over, and the older one then refuses it in a sentence',
  async (t) => {
    const { images, start, household } = t.context
    const { server } = household
    await buildNewer(images)
    await server.signal('TERM')
    await server.ended()
    const newer = await start({ image: NEWER })
    household.server = newer
    t.log(`upgraded: ready in ${await newer.untilReady()} s`)
    t.regex(newer.output(), /Made \/data\/server\/backups\/.*\.age\./)
    await hasEverything(t)
    await newer.signal('TERM')
    await newer.ended()
    const older = await start()
    t.is(await older.ended(), 78)
    t.regex(older.output(), /start the newer version, or rebuild from a backup from before the update/)
  },
)

/** The family is there, signed in as before, with its letter, and another one arrives. */
async function hasEverything(t: { context: World; regex(text: string, pattern: RegExp): void }) {
  const { ports, household } = t.context
  const { visitor, inboxAddress } = household
  t.regex(await firstPage(visitor), /Blood test on Monday/)
  t.regex(await deliver(ports.smtp, inboxAddress, plainMail('One more')), /^250/)
  t.regex(await firstPage(visitor), /One more/)
}

async function firstPage(visitor: Visitor): Promise<string> {
  return (await visitor.get('/')).text
}
