import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { freePort } from '@family-inbox/local-stack/free-port'
import { startMongod } from '@family-inbox/local-stack/mongod'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { Binary, MongoClient } from 'mongodb'
import type { Options } from '../measure/options.ts'
import { table } from '../measure/table.ts'

const MEGABYTES = 500
/** Sealed, so it does not compress. */
const MAIL_BYTES = 50_000
const CHANGES = 20_000

/** Seconds to back up, to restore, to write a slice of the oplog and to replay it, on one machine. */
export async function benchBackup({ say }: Options) {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-bench-'))
  try {
    await using source = await startMongodIn(join(dir, 'source'))
    await using target = await startMongodIn(join(dir, 'target'))
    await using client = await new MongoClient(source.uri).connect()
    const run = (args: string[], uri = source.uri) => backup(args, { DATA_DIR: join(dir, 'data'), MONGODB_URI: uri })
    await fill(client)
    const backupSeconds = await secondsOf(() => run(['nightly', '--no-try']))
    await change(client)
    const sliceSeconds = await secondsOf(() => run(['oplog', '--once']))
    const status = async (place: string) => JSON.parse(await readFile(join(dir, 'data/backups', place), 'utf8'))
    const [{ file }, { slicedTo }] = [await status('status.json'), await status('oplog/status.json')]
    await writeFile(join(dir, 'key.txt'), (await run(['key'])).stdout)
    const restore = ['restore', file, '--key-file', join(dir, 'key.txt')]
    const restoreSeconds = await secondsOf(() => run(restore, target.uri))
    await using again = await startMongodIn(join(dir, 'again'))
    const until = new Date(Date.parse(slicedTo) - 1).toISOString()
    const bothSeconds = await secondsOf(() => run([...restore, '--until', until], again.uri))
    const summary = { megabytes: MEGABYTES, changes: CHANGES, backupSeconds, sliceSeconds, restoreSeconds, bothSeconds }
    say(backupTable(summary))
    return { summary }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function startMongodIn(dir: string) {
  const found = await findMongod({ env: { ...readEnvironment(), MONGODB_URI: undefined }, say: () => {} })
  if ('external' in found) throw new Error('A mongod of its own is needed.')
  return startMongod({ binary: found.path, dir, port: await freePort(), logFile: `${dir}.log` })
}

function backup(args: string[], env: Record<string, string>) {
  const main = join(REPOSITORY, 'deploy/src/backup.ts')
  return promisify(execFile)(process.execPath, [main, ...args], { env: { ...process.env, ...env } })
}

async function fill(client: MongoClient): Promise<void> {
  const mails = client.db('inbox').collection('originals')
  for (let megabyte = 0; megabyte < MEGABYTES; megabyte += 10)
    await mails.insertMany(
      Array.from({ length: 1e7 / MAIL_BYTES }, () => ({ raw: new Binary(randomBytes(MAIL_BYTES)) })),
    )
}

/** As services do: one small row each. */
async function change(client: MongoClient): Promise<void> {
  const events = client.db('auth').collection('audit_entries')
  for (let at = 0; at < CHANGES; at += 1000)
    await events.insertMany(
      Array.from({ length: 1000 }, (_, n) => ({ n: at + n, tool: 'list_inbox_messages', ok: true })),
    )
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}

type Summary = Record<
  'megabytes' | 'changes' | 'backupSeconds' | 'sliceSeconds' | 'restoreSeconds' | 'bothSeconds',
  number
>

function backupTable(summary: Summary): string {
  const { megabytes, changes, backupSeconds, sliceSeconds, restoreSeconds, bothSeconds } = summary
  const perGb = (seconds: number) => ((seconds * 1000) / megabytes).toFixed(0)
  const replaySeconds = bothSeconds - restoreSeconds
  return table([
    ['', 'seconds', 'seconds a GB'],
    [`backup of ${megabytes} MB of mail`, backupSeconds.toFixed(1), perGb(backupSeconds)],
    ['restore of it', restoreSeconds.toFixed(1), perGb(restoreSeconds)],
    [`slice of ${changes} changes`, sliceSeconds.toFixed(1), ''],
    ['replay of it', replaySeconds.toFixed(1), ''],
  ])
}
