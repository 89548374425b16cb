import type { Stack } from '@family-inbox/local-stack/run-stack'
import type { DemoFamily, OtherMember } from '@family-inbox/ops/demo-seed'
import type { Sink } from './_mail-sink.ts'
import type { PresetName } from './_presets.ts'

/** A stack others use at the same time, without anything to stop its processes. */
export type SharedStack = Pick<Stack, (typeof HANDED_OVER)[number] | 'databaseUri' | 'pid'>

/** A stack that nobody else uses now. Its separate services and its NATS server may be killed and paused. */
export type LeasedStack = SharedStack & Pick<Stack, 'kill' | 'pause' | 'resume' | 'waitReady'>

export type Shared<On extends SharedStack = SharedStack> = AsyncDisposable & {
  stack: On
  /** Gets everyone's mail, unless the stack is leased: look only for your own addresses. */
  sink: Sink
  makeFamily: MakeFamily
}

export type MakeFamily = <Other extends OtherMember = OtherMember>(
  options: FamilyOptions<Other>,
) => Promise<DemoFamily<Other>>

export type FamilyOptions<Other extends OtherMember> = MailOption & {
  /** Who joins the owner. Each costs more than the rest of the family. */
  others?: readonly Other[]
}

export type MailOption = {
  /** It begins with the demo mail, which costs more than the family. */
  withMail?: boolean
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

export const HANDED_OVER = [
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

/** A shared stack; without `npm test`, a new one for this file alone. A leased one is this test's until it is disposed. */
export function openSharedStack(name: 'mortal'): Promise<Shared<LeasedStack>>
export function openSharedStack(name?: PresetName): Promise<Shared>
export async function openSharedStack(name: PresetName = 'standard'): Promise<Shared> {
  const socket = process.env[SHARED_STACKS]
  // What starts stacks takes a while to load, in 150 files.
  if (socket === undefined) return (await import('./_start-preset.ts')).startPreset(name)
  return (await import('./_join-stack.ts')).joinStack(socket, name)
}
