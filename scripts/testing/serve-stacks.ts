import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Stack } from '../../packages/local-stack/src/run-stack.ts'
import type { OtherMember } from '../../packages/ops/src/demo-seed.ts'
import { PRESETS, type Preset, type PresetName } from '../../tests/_presets.ts'
import type { FamilyOptions } from '../../tests/_shared-stack.ts'
import { type Started, startPreset } from '../../tests/_start-preset.ts'

type Serving = AsyncDisposable & {
  /** The socket that test files connect to. */
  path: string
}

type InUse = { users: number; started: Promise<Started>; ending?: NodeJS.Timeout }

/** What a test can ask for, in a line, while it uses a stack. */
const ANSWERS = {
  ready: async ({ stack }) => {
    await stack.waitReady()
    return {}
  },
  // Made here, where what makes them is loaded, and warm.
  family: ({ makeFamily }, options) => makeFamily(options),
} satisfies Record<string, (started: Started, options: FamilyOptions<OtherMember>) => Promise<object>>

export type Asked = keyof typeof ANSWERS

type Line<What extends string> = { what: What; options: FamilyOptions<OtherMember> }

/** A preset that nobody uses for so long ends: by then it has cost as much as another start. */
const KEPT_MS = 180_000

export async function serveStacks(start: (name: PresetName) => Promise<Started> = startPreset): Promise<Serving> {
  const folder = await mkdtemp(join(tmpdir(), 'family-inbox-stacks-'))
  const path = join(folder, 'socket')
  const running = new Map<PresetName, InUse>()
  const ended: Promise<unknown>[] = []
  let lastLease: Promise<void> = Promise.resolve()

  function use(name: PresetName): InUse {
    const preset = running.get(name) ?? { users: 0, started: start(name) }
    running.set(name, preset)
    preset.users += 1
    clearTimeout(preset.ending)
    return preset
  }

  function leave(name: PresetName, preset: InUse): void {
    preset.users -= 1
    if (preset.users === 0 && running.get(name) === preset) preset.ending = setTimeout(() => end(name, preset), KEPT_MS)
  }

  function end(name: PresetName, preset: InUse): void {
    clearTimeout(preset.ending)
    if (running.get(name) !== preset) return
    running.delete(name)
    // Its users know why it did not start.
    ended.push(preset.started.then((stack) => stack[Symbol.asyncDispose]()).catch(() => {}))
  }

  /** Further lines are in ANSWERS. The stack is in use while the connection is open. Never rejects. */
  async function lend(name: PresetName, socket: Socket, lines: AsyncIterator<string>): Promise<void> {
    const preset = use(name)
    try {
      const started = await preset.started
      answer(socket, started.facts())
      for (let line = await lines.next(); !line.done; line = await lines.next()) {
        const { what, options }: Line<Asked> = JSON.parse(line.value)
        answer(socket, await ANSWERS[what](started, options).catch((error) => ({ error: `${error}` })))
      }
      await heal(started.stack, PRESETS[name])
    } catch (error) {
      answer(socket, { error: `${error}` })
      end(name, preset) // the next gets a new one
    } finally {
      leave(name, preset)
    }
  }

  /** The first line names a preset. A lease begins when the one before is over. */
  async function serve(socket: Socket): Promise<void> {
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
    const line = await lines.next()
    if (line.done) return
    const { what: name }: Line<PresetName> = JSON.parse(line.value)
    const { isLeased }: Preset = PRESETS[name]
    const lent = (isLeased ? lastLease : Promise.resolve()).then(() => lend(name, socket, lines))
    if (isLeased) lastLease = lent
    await lent
  }

  const server = createServer((socket) => {
    socket.on('error', () => {}) // of a test that was ended
    void serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return {
    path,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const [name, preset] of running) end(name, preset)
      await Promise.all(ended)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** After a lease every process runs again. */
async function heal(stack: Stack, { isLeased, options: { separate = [] } }: Preset): Promise<void> {
  if (!isLeased) return
  for (const name of [...separate, 'nats-server' as const]) stack.resume(name)
  await stack.waitReady()
}

function answer(socket: Socket, content: object): void {
  if (socket.writable) socket.write(`${JSON.stringify(content)}\n`)
}
