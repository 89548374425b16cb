import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { kubectl as runKubectl, startInside } from '@family-inbox/deploy/cluster/inside'
import { readUntil } from '../_wait.ts'
import { type Alert, hasten, PACE, RULES, ringing } from '../alarms/_running-prometheus.ts'
import type { Kubernetes } from './_kubernetes.ts'

export type ClusterPrometheus = {
  /** Scrapes the pods that are there now, by their addresses, with the labels of the component's PodMonitor. */
  scrapeWhatIsThere(): Promise<void>
  /** The pods that it reads. */
  up(): Promise<string[]>
  /** What rings, except the watchdog. */
  ringing(): Promise<Alert['labels'][]>
}

/** In the namespace that the network policies let read metrics, on the node that no test ends. */
const POD = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'monitoring' } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'prometheus', namespace: 'monitoring' },
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': 'n1' },
        enableServiceLinks: false,
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'prometheus', image: 'local/tools:1' }],
      },
    },
  ],
}

const IN_POD = ['exec', '--stdin', '--namespace=monitoring', 'prometheus', '--'] as const

type PodRow = {
  metadata: { name: string; labels: Record<string, string>; deletionTimestamp?: string }
  status: { podIP?: string }
}

/** The pods with metrics that stay: one that ends is still in the list. */
export async function measuredPods({ kubectl }: Kubernetes): Promise<PodRow[]> {
  const selector = '--selector=family-inbox/serves=metrics'
  const { items } = JSON.parse(await kubectl('--namespace=family-inbox', 'get', 'pods', selector, '--output=json'))
  return (items as PodRow[]).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
}

/** Starts Prometheus in the cluster, with the product's rules sixty times as fast. @param binary of Prometheus */
export async function startPrometheusIn(kubernetes: Kubernetes, binary: string): Promise<ClusterPrometheus> {
  const { layout, kubectl } = kubernetes
  await runKubectl(layout, ['apply', '--server-side', '-f', '-'], { input: JSON.stringify(POD) })
  await kubectl('wait', '--namespace=monitoring', '--for=condition=Ready', 'pod/prometheus', '--timeout=120s')
  const write = (file: string, input: string) => runKubectl(layout, [...IN_POD, 'sh', '-c', `cat > ${file}`], { input })
  const ask = async (path: string) => {
    const answer = await kubectl(...IN_POD, 'wget', '-q', '-O', '-', `http://127.0.0.1:9090${path}`)
    return JSON.parse(answer).data
  }
  const scrapeWhatIsThere = async () => {
    const pods = (await measuredPods(kubernetes)).filter(({ status }) => status.podIP !== undefined)
    const scrape_configs = pods.map(({ metadata: { name, labels }, status }) => ({
      job_name: name,
      static_configs: [{ targets: [`${status.podIP}:9464`], labels: labelsOf(name, labels) }],
    }))
    await write('/tmp/prometheus.yml', JSON.stringify({ global: PACE, rule_files: ['rules.yaml'], scrape_configs }))
  }
  await copyInto(kubernetes, binary, '/tmp/prometheus')
  await write('/tmp/rules.yaml', hasten(await readFile(RULES, 'utf8')))
  await scrapeWhatIsThere()
  const options = ['--config.file=/tmp/prometheus.yml', '--storage.tsdb.path=/tmp/data', '--log.level=error']
  await kubectl(...IN_POD, 'sh', '-c', `/tmp/prometheus ${options.join(' ')} --web.enable-lifecycle >/tmp/log 2>&1 &`)
  await readUntil(
    () => ask('/api/v1/status/buildinfo').catch(() => undefined),
    (info) => info !== undefined,
  )
  return {
    async scrapeWhatIsThere() {
      await scrapeWhatIsThere()
      await kubectl(...IN_POD, 'wget', '-q', '-O', '-', '--post-data=', 'http://127.0.0.1:9090/-/reload')
    },
    async up() {
      const { result } = await ask('/api/v1/query?query=up%3D%3D1')
      return result.map(({ metric }: { metric: { pod: string } }) => metric.pod)
    },
    async ringing() {
      return ringing((await ask('/api/v1/alerts')).alerts)
    },
  }
}

/** `job` and the label of the product, as `jobLabel` and `podTargetLabels` give them. */
function labelsOf(pod: string, labels: Record<string, string>): Record<string, string> {
  return {
    pod,
    job: labels['app.kubernetes.io/name'] ?? '',
    app_kubernetes_io_part_of: labels['app.kubernetes.io/part-of'] ?? '',
  }
}

async function copyInto({ layout }: Kubernetes, from: string, to: string): Promise<void> {
  const command = ['kubectl', ...IN_POD, 'sh', '-c', `cat > ${to} && chmod 700 ${to}`]
  const child = await startInside(layout, command, ['pipe', 'ignore', 'inherit'])
  if (!child.stdin) throw new Error('The file cannot be written')
  const ended = new Promise((resolve) => child.once('close', resolve))
  await pipeline(createReadStream(from), child.stdin)
  if ((await ended) !== 0) throw new Error(`${from} could not be copied`)
}
