import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { relay } from './forward/relay.ts'
import { startInside } from './inside.ts'
import type { Layout } from './system/layout.ts'

/** A port of a pod or a Service at a loopback port of this machine. */
export type Forward = AsyncDisposable & { ended: Promise<unknown> }

/**
 * Forwards a port, as kubectl does in the network of the cluster, and from there to this machine.
 * @param ports `<port here>:<port there>`, or one number for both
 */
export async function forward(layout: Layout, target: string, ports: string): Promise<Forward> {
  await using cleanUp = new AsyncDisposableStack()
  const port = Number(ports.split(':')[0])
  const path = join(layout.dir, `port-${port}.sock`)
  const program = ['kubectl', '--namespace=family-inbox', 'port-forward', target, ports]
  const forwarding = await started(layout, program, cleanUp)
  cleanUp.defer(() => rm(path, { force: true }))
  await rm(path, { force: true })
  await started(layout, [process.execPath, join(import.meta.dirname, 'forward/main.ts'), path, `${port}`], cleanUp)
  const server = await relay({ host: '127.0.0.1', port }, { path })
  cleanUp.defer(() => void server.close())
  const owned = cleanUp.move()
  return { ended: once(forwarding, 'close'), [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Resolves with its first line. */
async function started(
  layout: Layout,
  command: readonly string[],
  cleanUp: AsyncDisposableStack,
): Promise<ChildProcess> {
  const child = await startInside(layout, command, ['ignore', 'pipe', 'inherit'])
  cleanUp.defer(() => void child.kill())
  const first = child.stdout && once(child.stdout, 'data')
  if (!(await Promise.race([first, once(child, 'close').then(() => undefined)]))) {
    throw new Error(`${command.join(' ')} ended`)
  }
  child.stdout?.resume()
  return child
}
