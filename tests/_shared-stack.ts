import { appendFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { services } from '@family-inbox/local-stack/services'
import { startStack } from '@family-inbox/local-stack/stack'
import { startAttackingFamily } from './_attacking-family.ts'
import { joinStack } from './_join-stack.ts'
import { type Sink, startMailSink, type Verdict } from './_mail-sink.ts'
import { PRESETS, type PresetName } from './_presets.ts'

/** A stack others use at the same time, without anything to stop its processes. */
export type SharedStack = Pick<Stack, (typeof HANDED_OVER)[number] | 'databaseUri' | 'pid'>

/** A stack that nobody else uses now. Its separate services and its NATS server may be killed and paused. */
export type LeasedStack = SharedStack & Pick<Stack, 'kill' | 'pause' | 'resume' | 'waitReady'>

export type Shared<On extends SharedStack = SharedStack> = AsyncDisposable & {
  stack: On
  /** Gets everyone's mail, unless the stack is leased: look only for your own addresses. */
  sink: Sink
}

/** What another process needs to use a stack. */
export type Facts = {
  stack: Pick<Stack, (typeof HANDED_OVER)[number]>
  databases: Record<string, string>
  mailFile: string
  /** Where mail begins that is not of those who used the stack before. */
  mailOffset: number
  sinkUrl: string
}

/** Names the socket at which `npm test` hands out shared stacks. */
export const SHARED_STACKS = 'SHARED_TEST_STACKS'

/** Another family attacks the standard stack this often while tests run. */
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

/** The shared mail server refuses mail to these addresses. */
const VERDICTS: Readonly<Record<string, Verdict>> = {
  'gone@clinic.example': { code: 550, text: '5.1.1 No such user' },
  'full@clinic.example': { code: 552, text: '5.2.2 Mailbox full' },
}

/** A shared stack; without `npm test`, a new one for this file alone. A leased one is this test's until it is disposed. */
export function openSharedStack(name: 'mortal'): Promise<Shared<LeasedStack>>
export function openSharedStack(name?: PresetName): Promise<Shared>
export async function openSharedStack(name: PresetName = 'standard'): Promise<Shared> {
  const socket = process.env[SHARED_STACKS]
  return socket === undefined ? startPreset(name) : joinStack(socket, name)
}

export type Started = Shared<Stack> & { facts(): Facts }

/** Starts a stack and a mail server that writes its mail to a file, for other processes. */
export async function startPreset(name: PresetName): Promise<Started> {
  await using cleanUp = new AsyncDisposableStack()
  let mailFile: string | undefined
  const sink = cleanUp.use(
    await startMailSink((mail) => {
      const verdict = VERDICTS[mail.to[0] ?? '']
      if (mailFile !== undefined && verdict === undefined) appendFileSync(mailFile, `${JSON.stringify(mail)}\n`)
      return verdict
    }),
  )
  const { options } = PRESETS[name]
  const stack = cleanUp.use(await startStack({ ...options, env: { ...options.env, SMTP_URL: sink.url } }))
  const file = join(stack.dataDir, 'mails.jsonl')
  await writeFile(file, '')
  mailFile = file
  const perSecond = Number(process.env[ATTACKS_PER_SECOND] ?? 0)
  if (perSecond > 0 && name === 'standard') cleanUp.use(await startAttackingFamily(stack, sink, perSecond))
  const owners = services.filter(({ database }) => database !== undefined)
  const facts = (): Facts => ({
    stack: Object.fromEntries(HANDED_OVER.map((key) => [key, stack[key]])) as Facts['stack'],
    databases: Object.fromEntries(owners.map((owner) => [owner.name, stack.databaseUri(owner.name)])),
    mailFile: file,
    mailOffset: statSync(file).size,
    sinkUrl: sink.url,
  })
  const owned = cleanUp.move()
  return { stack, sink, facts, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
