import { join } from 'node:path'
import type { ProcessName, Stack } from '@family-inbox/local-stack/run-stack'
import { services } from '@family-inbox/local-stack/services'
import { startWorker } from '../measure/worker.ts'
import type { Databases } from '../world/workspace.ts'

/** A server that answers the same calls on the same data. */
export type Peer = AsyncDisposable & {
  name: 'ours' | 'F' | 'S'
  origin: string
  host: string
  /** The processes that do its work, MongoDB included. */
  processes: Record<string, number>
}

const EVERY_PROCESS: ProcessName[] = [...services.map(({ name }) => name), 'nats-server', 'mongod']

export function ourPeer(stack: Stack): Peer {
  const { host, port } = new URL(stack.apiUrl)
  return {
    name: 'ours',
    origin: `http://127.0.0.1:${port}`,
    host,
    processes: processesNamed(stack, EVERY_PROCESS),
    [Symbol.asyncDispose]: async () => {},
  }
}

export async function startReference(name: 'F' | 'S', stack: Stack, databases: Databases): Promise<Peer> {
  const file = join(import.meta.dirname, `reference-${name.toLowerCase()}.ts`)
  const { worker, hello } = await startWorker<never, never, { port: number }>(file, databases)
  return {
    name,
    origin: `http://127.0.0.1:${hello.port}`,
    host: `127.0.0.1:${hello.port}`,
    processes: { [name]: worker.pid, ...processNamed(stack, 'mongod') },
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  }
}

/** Services that share a process count once, as `services`. */
export function processesNamed(stack: Stack, names: readonly ProcessName[]): Record<string, number> {
  const processes: Record<string, number> = {}
  for (const [name, pid] of names.flatMap((service) => Object.entries(processNamed(stack, service)))) {
    const isShared = names.some((other) => other !== name && processNamed(stack, other)[other] === pid)
    processes[isShared ? 'services' : name] = pid
  }
  return processes
}

/** Empty for a server elsewhere (`MONGODB_URI`): every peer's figures then lack its work. */
export function processNamed(stack: Stack, name: ProcessName): Record<string, number> {
  try {
    const pid = stack.pid(name)
    return pid === undefined ? {} : { [name]: pid }
  } catch {
    return {}
  }
}
