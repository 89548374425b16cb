import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { isPaused } from '@family-inbox/local-stack/process-list'
import { ALL_SERVICES, stackFilePath } from '@family-inbox/local-stack/stack-file'
import type { DemoFamily, OtherMember } from '@family-inbox/ops/demo-seed'
import type { Asked } from '../scripts/testing/serve-stacks.ts'
import { uncounted } from '../scripts/testing/waiting-time.ts'
import { type Sink, type SunkMail, waitForMails } from './_mail-sink.ts'
import { PRESETS, type Preset, type PresetName } from './_presets.ts'
import type { Facts, FamilyOptions, LeasedStack, Shared } from './_shared-stack.ts'
import { until } from './_wait.ts'

type Connection = Disposable & {
  /** Sends a line and resolves with its answer. The process may end although the connection is open, but not before that. */
  ask(what: Asked | PresetName, options?: object): Promise<unknown>
}

/** Gets a stack that another process runs: it is in use while the connection is open, and a leased one is this test's. */
export async function joinStack(socket: string, name: PresetName): Promise<Shared<LeasedStack>> {
  using joining = new DisposableStack()
  const connection = joining.use(openConnection(socket))
  const facts = (await uncounted(connection.ask(name))) as Facts
  const { stack, databases, mailFile, mailOffset, sinkUrl } = facts
  const preset: Preset = PRESETS[name]
  joining.move()
  return {
    stack: {
      ...stack,
      databaseUri: (service) => databases[service] ?? '',
      ...signals(stack.dataDir, preset),
      waitReady: async () => void (await connection.ask('ready')),
    },
    sink: readSink(mailFile, mailOffset, sinkUrl),
    makeFamily: async <Other extends OtherMember>(options: FamilyOptions<Other>) =>
      (await connection.ask('family', options)) as DemoFamily<Other>,
    [Symbol.asyncDispose]: async () => connection[Symbol.dispose](),
  }
}

function openConnection(path: string): Connection {
  const socket = connect(path)
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  let unanswered = 0
  return {
    async ask(what, options = {}) {
      unanswered += 1
      socket.ref().write(`${JSON.stringify({ what, options })}\n`)
      const { value, done } = await lines.next()
      unanswered -= 1
      if (unanswered === 0) socket.unref()
      if (done) throw new Error('The process that runs the shared stacks has ended.')
      const { error, ...answer } = JSON.parse(value)
      if (error !== undefined) throw new Error(error)
      return answer
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}

/** Signals go to the processes that are in `stack.json` now. */
function signals(dataDir: string, { options }: Preset): Pick<LeasedStack, 'pid' | 'kill' | 'pause' | 'resume'> {
  const isSeparate = (name: string) => name === 'nats-server' || options.separate?.some((one) => one === name)
  const pid: LeasedStack['pid'] = (name) => {
    const { processes } = JSON.parse(readFileSync(stackFilePath(dataDir), 'utf8'))
    return (isSeparate(name) ? processes[name] : (processes[ALL_SERVICES] ?? processes[name]))?.pid
  }
  const kill: LeasedStack['kill'] = (name, signal = 'SIGKILL') => {
    if (!isSeparate(name)) throw new Error(`${name} shares its process: see tests/_presets.ts`)
    const found = pid(name)
    // Between a death and the restart there is nothing to kill.
    if (found !== undefined) process.kill(found, signal)
  }
  return {
    pid,
    kill,
    resume: (name) => kill(name, 'SIGCONT'),
    async pause(name) {
      const found = pid(name)
      if (found === undefined) throw new Error(`${name} is not running`)
      kill(name, 'SIGSTOP')
      await until(() => isPaused(found), 5000)
    },
  }
}

/** Reads the mail that another process received. */
function readSink(file: string, from: number, url: string): Sink {
  const known: SunkMail[] = []
  let offset = from
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
