import { setTimeout as sleep } from 'node:timers/promises'
import { portTrouble } from './free-port.ts'
import { listenerOn } from './process-list.ts'

/** A port the world sees, and the setting that names it. */
export type PublicPort = { readonly setting: string; readonly port: number }

/**
 * Waits until every port can be listened on.
 * @param patienceMs for how long all of them together may be in use still
 * @throws a line that names the port, what uses it where that can be told, and what to do
 */
export async function requireFreePorts(ports: readonly PublicPort[], patienceMs: number): Promise<void> {
  const giveUpAt = Date.now() + patienceMs
  for (const { setting, port } of ports) {
    for (;;) {
      const trouble = await portTrouble(port)
      if (trouble === undefined) break
      if (trouble !== 'is in use') throw new Error(`Port ${port} ${trouble}: set ${setting} to another one.`)
      if (Date.now() > giveUpAt) throw new Error(await refusal(port, setting))
      await sleep(100)
    }
  }
}

async function refusal(port: number, setting: string): Promise<string> {
  const listener = await listenerOn(port)
  const by = listener === undefined ? '' : ` by process ${listener.pid} (${listener.command})`
  return `Port ${port} is in use${by}: stop what uses it, or set ${setting} to another one.`
}
