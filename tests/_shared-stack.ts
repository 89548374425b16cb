import { appendFileSync, closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { services } from '@family-inbox/local-stack/services'
import { startStack } from '@family-inbox/local-stack/stack'
import { startAttackingFamily } from './_attacking-family.ts'
import { type Sink, type SunkMail, startMailSink, waitForMails } from './_mail-sink.ts'

/** A stack others use at the same time, without anything to stop its processes. */
export type SharedStack = Pick<Stack, (typeof HANDED_OVER)[number] | 'databaseUri'>

export type Shared = AsyncDisposable & {
  stack: SharedStack
  /** Gets everyone's mail: look only for your own addresses. */
  sink: Sink
}

/** Names the file with the shared stack's addresses; `npm test` sets it. */
export const SHARED_STACK = 'SHARED_TEST_STACK'

/** Another family attacks the shared stack this often while tests run. */
const ATTACKS_PER_SECOND = 'TEST_ATTACKS_PER_SECOND'

const HANDED_OVER = [
  'dataDir',
  'baseUrl',
  'apiUrl',
  'inboxUrl',
  'smtpPort',
  'mailDomain',
  'mongoUri',
  'natsUrl',
  'addresses',
  'httpAddresses',
  'metricsUrls',
  'opsKey',
  'serviceKeys',
  'target',
] as const

/** Lifts limits per network: all tests share one. What a test makes due in the database is found within a second. */
const ENV = {
  SWEEP_PAUSE_SECONDS: '1',
  TOOL_CALLS_PER_MINUTE: '1000000',
  HTTP_MAX_CONNECTIONS_PER_PEER: '10000',
  OAUTH_REQUESTS_PER_MINUTE: '1000000',
  SIGN_IN_CODES_PER_NETWORK: '1000000',
  PIPE_EVENTS_PER_MINUTE: '1000000',
  SANDBOX_BUCKET_CAPACITY: '1000000',
  SANDBOX_REFILL_SECONDS: '1',
}

/** The shared stack, or a new one for this file alone. */
export async function openSharedStack(): Promise<Shared> {
  const file = process.env[SHARED_STACK]
  if (file === undefined) return startSharedStack()
  const { stack, databases, mailFile, sinkUrl } = JSON.parse(readFileSync(file, 'utf8'))
  return {
    stack: { ...stack, databaseUri: (name) => databases[name] },
    sink: readSink(mailFile, sinkUrl),
    [Symbol.asyncDispose]: async () => {},
  }
}

/** Starts a stack and a mail server that writes its mail to a file, for other processes. */
export async function startSharedStack(): Promise<Shared & { file: string }> {
  await using cleanUp = new AsyncDisposableStack()
  let mailFile: string | undefined
  const sink = cleanUp.use(
    await startMailSink((mail) => {
      if (mailFile !== undefined) appendFileSync(mailFile, `${JSON.stringify(mail)}\n`)
      return undefined
    }),
  )
  const stack = cleanUp.use(await startStack({ env: { ...ENV, SMTP_URL: sink.url } }))
  mailFile = join(stack.dataDir, 'mails.jsonl')
  await writeFile(mailFile, '')
  const file = join(stack.dataDir, 'shared.json')
  const owners = services.filter(({ database }) => database !== undefined)
  const content = {
    stack: Object.fromEntries(HANDED_OVER.map((name) => [name, stack[name]])),
    databases: Object.fromEntries(owners.map(({ name }) => [name, stack.databaseUri(name)])),
    mailFile,
    sinkUrl: sink.url,
  }
  await writeFile(file, JSON.stringify(content), { mode: 0o600 })
  const perSecond = Number(process.env[ATTACKS_PER_SECOND] ?? 0)
  if (perSecond > 0) cleanUp.use(await startAttackingFamily(stack, sink, perSecond))
  const owned = cleanUp.move()
  return { stack, sink, file, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Reads the mail that another process received. */
function readSink(file: string, url: string): Sink {
  const known: SunkMail[] = []
  let offset = 0
  const mails = () => {
    const bytes = readFrom(file, offset)
    const end = bytes.lastIndexOf('\n') + 1
    offset += end
    for (const line of bytes.subarray(0, end).toString().split('\n')) if (line !== '') known.push(JSON.parse(line))
    return known
  }
  return {
    url,
    get mails() {
      return mails()
    },
    waitFor: waitForMails(mails),
    [Symbol.asyncDispose]: async () => {},
  }
}

function readFrom(file: string, offset: number): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - offset))
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, offset))
  } finally {
    closeSync(descriptor)
  }
}
