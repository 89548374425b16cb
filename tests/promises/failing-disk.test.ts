import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import test from 'ava'
import { type Agency, type PipeWorld, startPipeWorld } from '../event-pipe/_pipe.ts'
import { canMount, mountSmallDisk, type SmallDisk } from './_small-disk.ts'
import { canTrace, failCalls } from './_strace.ts'

const STORES = ['nats-server', 'mongod'] as const
const DISKS = { 'nats-server': 64, mongod: 400, outbox: 8 } as const
type Disks = Record<keyof typeof DISKS, SmallDisk>

const isTraced = await canTrace()
const isMounted = await canMount()

/** The gateway answers in two seconds; the rest allows for a busy machine. */
const ANSWER_MS = 2500
const ATTEMPTS = 12
const MOST_POSTS = 400
const RECOVERY_MS = 60_000

const cleanUp = new AsyncDisposableStack()
let disks: Disks | undefined
let world: PipeWorld
let agency: Agency
let subject: string

test.before(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'family-inbox-disks-'))
  cleanUp.defer(() => rm(dataDir, { recursive: true, force: true }))
  if (isMounted) {
    const mounting = Object.entries(DISKS).map(async ([name, mb]) => {
      const disk = cleanUp.use(await mountSmallDisk(join(dataDir, name), mb))
      return [name, disk]
    })
    disks = Object.fromEntries(await Promise.all(mounting))
  }
  world = cleanUp.use(await startPipeWorld({ dataDir }))
  agency = await world.addAgency()
  subject = await world.link(agency)
})
test.after.always(() => cleanUp.disposeAsync())

for (const name of STORES) {
  const traced = isTraced ? test.serial : test.serial.skip
  traced(`no event is accepted while ${name} cannot write to its disk (needs strace)`, async (t) => {
    const { stack } = world
    const event = agency.event(subject)
    {
      const deaths = stack.deaths(name)
      await using _failing = await failCalls(stack.pid(name) ?? 0, 'fsync,fdatasync', 'EIO')
      const attempts = Array.from({ length: ATTEMPTS }, async () => {
        const { status } = await agency.postOnce(event)
        // mongod ends itself, and its successor writes again.
        if (stack.deaths(name) === deaths) t.is(status, 503)
      })
      await Promise.all(attempts)
    }
    restart(name)
    await isOnTimelineOnce(await untilAccepted(event)).then((isOnce) => t.true(isOnce))
  })

  const mounted = isMounted ? test.serial : test.serial.skip
  mounted(`while the disk of ${name} is full events get 503, and everything works once there is space`, async (t) => {
    const accepted: string[] = []
    const statuses = new Set<number>()
    await disks?.[name].fill()
    // It keeps writing to the journal it has reserved. A new one does not fit.
    if (name === 'mongod') world.stack.kill(name)
    for (let nth = 0; nth < MOST_POSTS && !statuses.has(503); nth += 1) {
      const startedAt = performance.now()
      const { status, json } = await agency.postOnce(agency.event(subject))
      t.true(performance.now() - startedAt < ANSWER_MS)
      statuses.add(status)
      if (status === 202) accepted.push(json.event_id)
    }
    t.true(statuses.has(503), `${[...statuses]} after ${MOST_POSTS} events`)
    await disks?.[name].free()
    restart(name)
    accepted.push(await untilAccepted(agency.event(subject)))
    for (const id of accepted) t.true(await isOnTimelineOnce(id))
  })
}

for (const fault of ['full', 'read-only'] as const) {
  const mounted = isMounted ? test.serial : test.serial.skip
  mounted(`a reply waits while the folder for mail is ${fault}, and is then written once`, async (t) => {
    const { family, call, stack } = world
    const outbox = disks?.outbox
    const body = `The folder was ${fault}.`
    await (fault === 'full' ? outbox?.fill() : outbox?.setReadOnly(true))
    const lovedOneId = family.lovedOnes[0]?.id
    const list = await call(family.keys.owner, 'list_inbox_messages', { lovedOneId })
    const messageId = list.json.result.structuredContent.messages[0].id
    const reply = await call(family.keys.owner, 'reply_to_inbox_message', { messageId, body })
    t.is(reply.json.result.structuredContent.status, 'queued')
    await sleep(1000)
    await (fault === 'full' ? outbox?.free() : outbox?.setReadOnly(false))
    const written = async () => {
      const mails = (await readdir(join(stack.dataDir, 'outbox'))).filter((file) => file.endsWith('.eml'))
      const raw = await Promise.all(mails.map((file) => readFile(join(stack.dataDir, 'outbox', file), 'utf8')))
      return raw.filter((mail) => mail.includes(body)).length
    }
    const timeout = () => new Error('the reply was not written')
    await waitFor(async () => (await written()) || undefined, { timeoutMs: RECOVERY_MS, timeout })
    t.is(await written(), 1)
  })
}

/** After one failed write, nats-server refuses all others until its liveness probe restarts it. mongod ends itself. */
function restart(name: (typeof STORES)[number]): void {
  if (name === 'nats-server') world.stack.kill(name)
}

async function untilAccepted(event: ReturnType<Agency['event']>): Promise<string> {
  const post = async () => {
    const { status, json } = await agency.postOnce(event)
    return status === 202 ? String(json.event_id) : undefined
  }
  const timeout = () => new Error('no event is accepted')
  return waitFor(post, { timeoutMs: RECOVERY_MS, everyMs: 100, timeout })
}

async function isOnTimelineOnce(id: string): Promise<boolean> {
  await world.untilOnTimeline([id])
  return (await world.timelineIds()).filter((one) => one === id).length === 1
}
