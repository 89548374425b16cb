import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ConfigError } from '@family-inbox/service-kit/config/config'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { MongoClient } from 'mongodb'
import type { Env } from './config.ts'
import { type Plan, pathsOf } from './plan.ts'
import { runStack } from './run-stack.ts'
import { REPOSITORY, type Service } from './services.ts'

/** The schema version of each service's database. */
type Versions = Readonly<Record<string, number>>

/** What the last start left: the versions that it ran with, or those to which it migrates and for which it made a backup. */
type Kept = { readonly ran?: Versions; readonly backedUp?: { readonly for: Versions; readonly at: string } }

/** Later than this, data may have changed under the older version again. */
const RESUMED_WITHIN_MS = DAY_MS

/**
 * Before any service starts: refuses data of a newer version, and has data that will be migrated backed up first. A start that was
 * killed while it migrated has its backup, so the next one makes no other. @throws ConfigError with what to do
 */
export async function prepareData(plan: Plan, say: (line: string) => void): Promise<void> {
  const { config } = plan
  const known = knownVersions(plan.services)
  const kept = await readKept(config.dataDir)
  if (hasNoData(plan) || areSame(kept.ran, known)) return
  await using servers = runStack({ ...plan, services: [], replicas: [], doctor: undefined })
  await servers.waitReady()
  const found = await findVersions(plan)
  requireNoneNewer(found, known)
  const isDue = Object.entries(found).some(([name, version]) => version < (known[name] ?? 0))
  if (!isDue || !config.hasBackups || isBackedUp(kept, known)) return
  say('This data is of an older version. Making a backup before it is migrated…')
  say(`Made ${await backUp(config)}. It is kept for a month.`)
  await writeKept(config.dataDir, { backedUp: { for: known, at: new Date().toISOString() } })
}

/** When all services are ready, everything is migrated. */
export async function recordVersions({ config, services }: Plan): Promise<void> {
  await writeKept(config.dataDir, { ran: knownVersions(services) })
}

function knownVersions(services: readonly Service[]): Versions {
  return Object.fromEntries(
    services.flatMap(({ name, schemaVersion }) => (schemaVersion === undefined ? [] : [[name, schemaVersion]])),
  )
}

function hasNoData(plan: Plan): boolean {
  return 'path' in plan.mongod && !existsSync(pathsOf(plan, 'mongod').dir)
}

function areSame(some: Versions | undefined, known: Versions): boolean {
  return some !== undefined && Object.entries(known).every(([name, version]) => some[name] === version)
}

function isBackedUp({ backedUp }: Kept, known: Versions): boolean {
  return (
    backedUp !== undefined && areSame(backedUp.for, known) && Date.now() - Date.parse(backedUp.at) < RESUMED_WITHIN_MS
  )
}

/** Of the databases that have anything in them. */
async function findVersions({ databaseUris, services }: Plan): Promise<Versions> {
  const found: Record<string, number> = {}
  for (const { name } of services) {
    const uri = databaseUris[name]
    if (uri === undefined) continue
    await using client = await MongoClient.connect(uri)
    const db = client.db()
    const schema = await db.collection<{ _id: string; version: number }>('schema').findOne({ _id: 'schema' })
    // A database without migrations has no such row.
    const [any] = schema ? [] : await db.listCollections({}, { nameOnly: true }).toArray()
    if (schema || any) found[name] = schema?.version ?? 0
  }
  return found
}

function requireNoneNewer(found: Versions, known: Versions): void {
  for (const [name, version] of Object.entries(found)) {
    const most = known[name] ?? 0
    if (version > most)
      throw new ConfigError(
        `This data was written by a newer version (${name} has schema version ${version}, and this version supports up to ${most}): start the newer version, or rebuild from a backup from before the update.`,
      )
  }
}

/** In a process of its own, which ends with this one. @returns its file */
async function backUp({ env, dataDir }: { env: Env; dataDir: string }): Promise<string> {
  const child = spawn(process.execPath, [join(REPOSITORY, 'deploy/src/backup.ts'), 'before-migration'], {
    env: { ...env, DATA_DIR: dataDir },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [file, problem, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (code === 0) return file.trim()
  const folder = env.BACKUP_DIR ?? join(dataDir, 'backups')
  throw new ConfigError(
    `This data must be migrated, and the backup before it failed (${problem.trim() || `exit code ${code}`}): make space in ${folder}, or set BACKUP_DIR to a folder on another disk, and start again; BACKUPS=off migrates without a backup.`,
  )
}

async function readKept(dataDir: string): Promise<Kept> {
  return readFile(versionsFile(dataDir), 'utf8').then(JSON.parse, () => ({}))
}

/** Atomic: a killed start leaves the old file or the new one. */
async function writeKept(dataDir: string, kept: Kept): Promise<void> {
  const file = versionsFile(dataDir)
  await writeFile(`${file}.new`, JSON.stringify(kept), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

function versionsFile(dataDir: string): string {
  return join(dataDir, 'schema-versions.json')
}
