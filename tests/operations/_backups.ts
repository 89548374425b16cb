import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { freePort } from '@family-inbox/local-stack/free-port'
import { startMongod } from '@family-inbox/local-stack/mongod'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import type { Family } from '../_family.ts'
import { openMailer } from '../_mailer.ts'
import { untilToolAnswered } from '../_outcome.ts'
import { attachment, multipartMail, text } from '../mail-corpus/build-mail.ts'

/** In each mail. */
export const SCAN = Buffer.alloc(3_000_000, 'What the doctor wrote. ')

export type Folders = AsyncDisposable & { lost: string; rebuilt: string; backup: string; again: string }

export async function makeFolders(): Promise<Folders> {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-backup-'))
  const folder = (name: string) => join(dir, name)
  return {
    lost: folder('lost'),
    rebuilt: folder('rebuilt'),
    backup: folder('backup'),
    again: folder('again'),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  }
}

/** In the same folder as a stack's own mongod. */
export async function startMongodIn(dataDir: string) {
  const found = await findMongod({ env: { ...readEnvironment(), MONGODB_URI: undefined }, say: () => {} })
  if ('external' in found) throw new Error('a mongod of its own is needed')
  const dir = join(dataDir, 'mongod')
  return startMongod({ binary: found.path, dir, port: await freePort(), logFile: `${dir}.log`, cacheSizeGb: 0.25 })
}

export async function backup(
  verb: 'make' | 'restore',
  folder: string,
  from: { MONGODB_URI: string } | { DATA_DIR: string },
): Promise<void> {
  await runBackup([verb, folder], from)
}

export function runBackup(args: string[], settings: Record<string, string>) {
  const main = join(REPOSITORY, 'deploy/src/backup.ts')
  const options = { timeout: 60_000, env: { ...process.env, ...settings } }
  return promisify(execFile)(process.execPath, [main, ...args], options)
}

export async function receive(f: Family, subject: string, from: string): Promise<string> {
  const lovedOne = f.family.lovedOnes[0]
  const raw = multipartMail({ Subject: subject, From: from, 'Message-ID': `<${subject.length}@x.example>` }, 'mixed', [
    text('Good day'),
    attachment('scan.txt', 'text/plain', SCAN),
  ])
  await openMailer(f.stack).deliver(lovedOne?.inboxAddress ?? '', raw)
  const messages = await messagesOf(f, lovedOne?.id ?? '')
  return messages.find((message) => message.subject === subject)?.id ?? ''
}

async function messagesOf(f: Family, lovedOneId: string): Promise<{ id: string; subject: string }[]> {
  const list = () => f.call(f.family.keys.owner, 'list_inbox_messages', { lovedOneId, limit: 50 })
  const { json } = await untilToolAnswered(list)
  return json.result.structuredContent.messages
}

export async function subjectsOf(f: Family, lovedOneId: string): Promise<string[]> {
  return (await messagesOf(f, lovedOneId)).map(({ subject }) => subject)
}
