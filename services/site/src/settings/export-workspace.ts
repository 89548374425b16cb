import type { ExportPiece } from '@family-inbox/proto/export/v1/export'
import { safeFileName } from '@family-inbox/service-kit/rpc/export-files'
import type { Context } from '../context.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'
import { makeZip, type ZipFile } from './zip.ts'

type Answer = { piece: ExportPiece | undefined }

/** For slow mobile connections. */
const DOWNLOAD_MS = 2 * 60 * 60_000

const READ_ME = {
  path: 'Read me.txt',
  text: [
    'Everything in your family’s inbox that you could read when this file was created.',
    '',
    'mail/          One folder for each loved one, with one folder for each message. message.eml is the original mail and',
    '               opens in any mail program. message.json is what the inbox showed and what its PDFs say.',
    '               attachments/ contains its files.',
    '               replies.json contains your family’s replies, reply-proposals.json what assistants wrote for approval,',
    '               drafts.json what you have not sent,',
    '               addresses.json the private addresses, status.json who takes care of what and what is done,',
    '               notes.json your family’s notes, reminders.json the reminders that are set.',
    'care-circle/   Your family, its people, loved ones, invitations and codes for care agencies.',
    'timeline/      Events from care agencies.',
    'assistants/    Your tool keys and connected apps without their secrets, and assistant activity. The owner’s download',
    '               includes everyone’s activity.',
    'activity/      What people opened, downloaded, shared and changed. The owner’s download includes everyone’s.',
    'you/           Your name, your email address, and the devices you signed in on.',
    '',
    'This file contains health information. Store it safely.',
    '',
  ].join('\r\n'),
}

const MAIL_FOLDER = /^mail\/([^/]+)\//

/** Streams everything the reader may read. Failures surface before the first byte. */
export async function zipWorkspace(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
): Promise<AsyncIterable<Uint8Array>> {
  const person = { ...asPerson(workspace.session, visit), deadline: Date.now() + DOWNLOAD_MS }
  const streams = await beginAll([
    ctx.careCircle.exportWorkspace({}, person),
    ctx.auth.exportRecords({}, person),
    ctx.inbox.exportInbox({}, person),
  ])
  return zip(streams, toReadablePaths(workspace.lovedOnes))
}

/** Starts all streams first, so failures surface early and the reader's token has not expired. */
async function beginAll(streams: AsyncIterable<Answer>[]): Promise<AsyncIterator<Answer>[]> {
  const begun = streams.map((stream) => beginOne(stream))
  const outcomes = await Promise.allSettled(begun.map(({ first }) => first))
  const failure = outcomes.find(({ status }) => status === 'rejected')
  if (failure === undefined) return begun.map(({ rest }) => rest)
  await Promise.all(begun.map(({ rest }) => rest.return?.()))
  throw (failure as PromiseRejectedResult).reason
}

function beginOne(stream: AsyncIterable<Answer>): {
  first: Promise<IteratorResult<Answer>>
  rest: AsyncIterator<Answer>
} {
  const iterator = stream[Symbol.asyncIterator]()
  const first = iterator.next()
  async function* fromFirst(): AsyncGenerator<Answer> {
    try {
      for (let next = await first; !next.done; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return { first, rest: fromFirst() }
}

async function* zip(streams: AsyncIterator<Answer>[], readable: (path: string) => string): AsyncGenerator<Uint8Array> {
  try {
    yield* makeZip(toFiles(piecesOf(streams), readable))
  } finally {
    await Promise.all(streams.map((stream) => stream.return?.()))
  }
}

async function* piecesOf(streams: AsyncIterator<Answer>[]): AsyncGenerator<ExportPiece> {
  yield { beginsFile: READ_ME.path, modifiedAt: undefined, data: Buffer.from(READ_ME.text) }
  for (const stream of streams)
    for (let next = await stream.next(); !next.done; next = await stream.next())
      if (next.value.piece) yield next.value.piece
}

/** Groups pieces into files. Relies on the zip reading each file to its end before the next. */
async function* toFiles(
  pieces: AsyncGenerator<ExportPiece>,
  readable: (path: string) => string,
): AsyncGenerator<ZipFile> {
  let next = await pieces.next()
  async function* bodyOf({ data }: ExportPiece): AsyncGenerator<Uint8Array> {
    yield data
    for (next = await pieces.next(); !next.done && next.value.beginsFile === ''; next = await pieces.next())
      yield next.value.data
  }
  while (!next.done) {
    const { beginsFile, modifiedAt = new Date() } = next.value
    yield { name: readable(beginsFile), modifiedAt, pieces: bodyOf(next.value) }
  }
}

/** Names mail folders after loved ones; duplicate names get a number. */
export function toReadablePaths(lovedOnes: { id: string; name: string }[]): (path: string) => string {
  const folders = new Map<string, string>()
  for (const { id, name } of lovedOnes) {
    const folder = safeFileName(name)
    const taken = [...folders.values()].map((one) => one.toLowerCase())
    let unique = folder
    for (let number = 2; taken.includes(unique.toLowerCase()); number += 1) unique = `${folder} (${number})`
    folders.set(id, unique)
  }
  return (path) =>
    path.replace(MAIL_FOLDER, (whole, id: string) => (folders.has(id) ? `mail/${folders.get(id)}/` : whole))
}
