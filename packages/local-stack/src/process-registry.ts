import type { Target } from '@family-inbox/ops/target'
import local from '../package.json' with { type: 'json' }
import { type Plan, pathsOf } from './plan.ts'
import { startReaper } from './reaper.ts'
import { grpcTargets } from './replicas.ts'
import { scriptOf } from './service-processes.ts'
import { removeStackFile, type StackProcess, writeStackFile } from './stack-file.ts'
import type { ProcessEvent } from './supervise.ts'

/** Records what runs in `stack.json` and for the reaper, which ends what a killed stack leaves behind. */
export type ProcessRegistry = { record(event: ProcessEvent): void; close(): Promise<void> }

export function openProcessRegistry(plan: Plan): ProcessRegistry {
  const { dataDir, urls } = plan.config
  const reaper = startReaper()
  const processes: Record<string, StackProcess> = {}
  return {
    record(event) {
      const { name } = event
      if ('started' in event) processes[name] = { pid: event.started, mark: markOf(plan, name) }
      else delete processes[name]
      reaper.watch(Object.values(processes).map(({ pid }) => pid))
      const { mongoUri, natsUrl } = plan
      const running = { pid: process.pid, urls, mongoUri, natsUrl, metricsUrls: metricsUrls(plan), processes }
      writeStackFile(dataDir, { ...targetOf(plan), ...running, version: local.version })
    },
    async close() {
      reaper.dismiss()
      await removeStackFile(dataDir)
    },
  }
}

export function targetOf({ config, replicas, keys }: Plan): Target {
  return {
    addresses: grpcTargets(replicas) as Target['addresses'],
    apiUrl: config.urls.api,
    smtp: { host: '127.0.0.1', port: config.smtpPort },
    serviceKey: keys.privateKeys.ops,
    serviceKeys: keys.publicKeys,
    tlsDir: config.grpcTlsDir,
  }
}

/** Where each process says how it is. */
export function metricsUrls({ metricsPorts }: Plan): Record<string, string> {
  const urls = Object.entries(metricsPorts).map(([name, port]) => [name, `http://127.0.0.1:${port}/metrics`])
  return Object.fromEntries(urls)
}

/** A part of the command line that identifies this process. */
function markOf(plan: Plan, name: string): string {
  const script = scriptOf(plan, name)
  return script === undefined ? pathsOf(plan, name).dir : `${script} ${plan.config.dataDir}`
}
