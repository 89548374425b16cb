import { setTimeout as sleep } from 'node:timers/promises'
import { portProblem } from './free-port.ts'
import { listenerOn } from './process-list.ts'

export type PublicPort = { readonly setting: string; readonly port: number }

/** Waits until every port is free. @throws one line naming the port, what uses it if known, and what to do */
export async function requireFreePorts(ports: readonly PublicPort[], timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (const { setting, port } of ports) {
    for (;;) {
      const problem = await portProblem(port)
      if (problem === undefined) break
      if (problem !== 'is in use') throw new Error(`Port ${port} ${problem}: set ${setting} to another one.`)
      if (Date.now() > deadline) throw new Error(await refusal(port, setting))
      await sleep(100)
    }
  }
}

async function refusal(port: number, setting: string): Promise<string> {
  const listener = await listenerOn(port)
  const by = listener === undefined ? '' : ` by process ${listener.pid} (${listener.command})`
  return `Port ${port} is in use${by}: stop what uses it, or set ${setting} to another one.`
}
