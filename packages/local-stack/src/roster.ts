import type { Target } from '@family-inbox/ops/target'
import { startGuard } from './guard.ts'
import { type Plan, placesOf } from './launch.ts'
import { addresses, entryOf } from './services.ts'
import { removeStackFile, type StackProcess, writeStackFile } from './stack-file.ts'
import type { Happening } from './supervise.ts'

/** Keeps book of what runs, where others can read it: `stack.json`, and the guard who ends what a killed stack leaves. */
export type Roster = { note(happening: Happening): void; close(): Promise<void> }

export function openRoster(plan: Plan): Roster {
  const { dataDir, urls } = plan.config
  const guard = startGuard()
  const processes: Record<string, StackProcess> = {}
  return {
    note(happening) {
      const { name } = happening
      if ('started' in happening) processes[name] = { pid: happening.started, mark: markOf(plan, name) }
      else delete processes[name]
      guard.protect(Object.values(processes).map(({ pid }) => pid))
      const { mongoUri, natsUrl } = plan
      writeStackFile(dataDir, { ...targetOf(plan), pid: process.pid, urls, mongoUri, natsUrl, processes })
    },
    async close() {
      guard.dismiss()
      await removeStackFile(dataDir)
    },
  }
}

/** What the operator command needs: where the services are, and the keys to speak to them. */
export function targetOf({ config, grpcPorts, keys }: Plan): Target {
  return {
    addresses: addresses(grpcPorts) as Target['addresses'],
    apiUrl: config.urls.api,
    smtp: { host: '127.0.0.1', port: config.smtpPort },
    serviceKey: keys.privateKeys.ops,
    serviceKeys: keys.publicKeys,
    tlsDir: config.grpcTlsDir,
  }
}

/** What is in the command line of this process and hardly in another's. */
function markOf(plan: Plan, name: string): string {
  const service = plan.services.find((candidate) => candidate.name === name)
  return service ? `${entryOf(service)} ${plan.config.dataDir}` : placesOf(plan, name).dir
}
