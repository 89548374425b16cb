import type { ExportPiece } from '@family-inbox/proto/export/v1/export'
import { safeFileName } from '@family-inbox/service-kit/rpc/export-files'
import type { Context } from '../context.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'
import { makeZip, type ZipFile } from './zip.ts'

type Answer = { piece: ExportPiece | undefined }

/** A line of a phone takes its time. */
const DOWNLOAD_MS = 2 * 60 * 60_000

/**
 * Everything the household has that the reader may read, as a zip that is made while it is sent: each service streams its
 * files, and no more than a piece of one is held here.
 * @throws StatusError when a service refuses or is away, before there is anything to send
 */
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

/** Begins all streams at once: whoever is away says so now, and the reader's token is checked while it is fresh. */
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

/** Pieces as the files they make up. The zip reads each file to its end before it asks for the next. */
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

/** What is in the download, for whoever opens it years later. */
const READ_ME = {
  path: 'Read me.txt',
  text: [
    'Everything your family had in Family Care Inbox when this was made, as far as you could read it.',
    '',
    'mail/          one folder for each loved one, in it one for each message: message.eml is the mail exactly as it',
    '               arrived and opens in any mail program, message.json is what the inbox showed of it, and attachments/',
    '               holds its files. replies.json holds what your family answered, addresses.json the private addresses.',
    'care-circle/   the household, its people, loved ones, invitations and codes for agencies.',
    'timeline/      what care agencies reported.',
    'assistants/    your tool keys and connected apps, without their secrets, and what assistants did. The owner’s download',
    '               holds what everyone’s assistants did.',
    'you/           your name and address, and the devices you signed in with.',
    '',
    'It holds health information. Keep it where only the right people find it.',
    '',
  ].join('\r\n'),
}

const MAIL_FOLDER = /^mail\/([^/]+)\//

/** Names the folders of mail after the people they are about; two of the same name are told apart by a number. */
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
