import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { databaseUri } from '@family-inbox/local-stack/mongo-uri'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { type Db, MongoClient } from 'mongodb'
import { pieceIds } from '../../services/inbox/src/models/original.ts'
import type { Random } from '../_random.ts'
import { html, multipartMail, text } from '../mail-corpus/build-mail.ts'

/** Enough for a migration to take longer than the start of a process. */
const MESSAGES = 3000
const LEASE_MS = 400
const PLACEHOLDER = multipartMail({}, 'alternative', [
  text('Please view in HTML'),
  html('<p>Your visit is at 8:15.</p>'),
])
const COLLECTIONS = ['messages', 'originals', 'index_entries', 'schema']

export type KilledMigrations = { trials: number; kills: number; wrong: string[] }

/**
 * Kills inbox's migrations at random moments, each on a database of its own, and lets the next start finish them.
 * @returns where the result differs from that of a run that nobody disturbed
 */
export async function killMigrations(mongoUri: string, trials: number, random: Random): Promise<KilledMigrations> {
  await using client = await MongoClient.connect(mongoUri)
  const open = async (): Promise<Db> => {
    const db = client.db(`killed_${randomText(8)}`)
    await fill(db)
    return db
  }
  const migrateOnce = (db: Db, killAfterMs?: number) => run(databaseUri(mongoUri, db.databaseName), killAfterMs)
  const undisturbed = await open()
  const { tookMs } = await migrateOnce(undisturbed)
  const expected = await contentOf(undisturbed)
  const wrong: string[] = []
  let kills = 0
  for (let trial = 0; trial < trials; trial += 1) {
    const db = await open()
    const killAfterMs = random.between(0, Math.ceil(tookMs))
    if ((await migrateOnce(db, killAfterMs)).isKilled) kills += 1
    await migrateOnce(db)
    if ((await contentOf(db)) !== expected) wrong.push(`killed after ${killAfterMs} ms`)
    await db.dropDatabase()
  }
  await undisturbed.dropDatabase()
  return { trials, kills, wrong }
}

async function run(uri: string, killAfterMs?: number): Promise<{ tookMs: number; isKilled: boolean }> {
  const script = join(import.meta.dirname, '_migrate.ts')
  const child = spawn(process.execPath, [script, uri, `${LEASE_MS}`], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  const startedAt = performance.now()
  if (killAfterMs !== undefined) {
    await Promise.race([sleep(killAfterMs), exited])
    child.kill('SIGKILL')
  }
  const [code, signal] = await exited
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`the migration ended with ${code ?? signal}`)
  return { tookMs: performance.now() - startedAt, isKilled: signal === 'SIGKILL' }
}

/** Mail as the versions before the migrations stored it. */
async function fill(db: Db): Promise<void> {
  const owner = { workspaceId: 'wsp_1', lovedOneId: 'lov_1' }
  const messages = Array.from({ length: MESSAGES }, (_, nth) => ({
    _id: `wsp_1/lov_1/msg_${nth}` as never,
    ...owner,
    originalHash: `hash${nth % 700}`,
    size: 1000,
    receivedAt: new Date(Date.UTC(2026, 0, 1) + nth * 60_000),
    subject: `Visit ${nth}`,
    from: { name: 'Desk', address: `desk${nth}@clinic.example` },
    attachments: [],
    // Some are read again.
    ...(nth % 20 === 0 && { hasMarkup: true, original: PLACEHOLDER }),
    text: `At ${nth % 24}:30, room ${nth}. ${'Bring the papers of last week, please. '.repeat(12)}`,
  }))
  await db.collection('messages').insertMany(messages)
  await db
    .collection('index_entries')
    .insertMany(messages.map(({ _id }) => ({ _id, words: ' written by an older version', subjectKey: 'visit' })))
  const pieces = new Set(messages.flatMap((one) => pieceIds(one, one.originalHash, one.size)))
  await db.collection('originals').insertMany([...pieces].map((_id) => ({ _id: _id as never })))
}

async function contentOf(db: Db): Promise<string> {
  const rows = COLLECTIONS.map((name) => db.collection(name).find().sort({ _id: 1 }).toArray())
  return JSON.stringify(await Promise.all(rows))
}
