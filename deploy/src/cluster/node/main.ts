// The first process of a node, in namespaces of its own. When it ends, the kernel ends everything on the node.
// Usage: main.ts <folder of the cluster> <number>
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import type { Programs } from '../programs/programs.ts'
import { CONTROLLERS } from '../system/control-groups.ts'
import { type Layout, layoutIn, type NodeNumber, nodeAddress, nodeName, PODS, SERVICES } from '../system/layout.ts'
import { runSync } from '../system/run.ts'
import { CONTAINERD_SOCKET, containerdConfig, kubeletConfig, podNetwork } from './config.ts'

const CONTAINERD_MS = 60_000

/** Settings of the whole machine that a kubelet wants and would change. It finds them as it wants them. */
const SYSCTLS = { 'kernel/panic': 10, 'kernel/panic_on_oops': 1, 'vm/overcommit_memory': 1 }

const [dir = '', number] = process.argv.slice(2)
await main(layoutIn(dir), Number(number) as NodeNumber)

async function main(layout: Layout, node: NodeNumber): Promise<void> {
  const name = nodeName(node)
  const own = layout.node(node)
  const programs: Programs = JSON.parse(readFileSync(layout.programs, 'utf8'))
  for (const folder of ['containerd', 'kubelet', 'network']) mkdirSync(join(own, folder), { recursive: true })
  runSync('hostname', name)
  mountSystem(own)
  replaceFile('/etc/resolv.conf', '')
  replaceFile('/etc/hosts', `127.0.0.1 localhost\n${nodeAddress(node)} ${name}\n`)
  writeFileSync(join(own, 'network/10-bridge.conflist'), JSON.stringify(podNetwork(own, node)))
  writeFileSync(join(own, 'containerd.toml'), containerdConfig(own, programs))
  writeFileSync(join(own, 'kubelet.json'), JSON.stringify(kubeletConfig(layout, node)))
  start(layout, node, 'containerd', '--config', join(own, 'containerd.toml'))
  await waitFor(async () => existsSync(CONTAINERD_SOCKET) || undefined, {
    timeoutMs: CONTAINERD_MS,
    everyMs: 50,
    timeout: () => new Error(`containerd did not start. Its log: ${layout.log(`${name}-containerd`)}`),
  })
  start(layout, node, 'kubelet', ...kubeletOptions(layout, node))
  start(layout, node, 'kube-proxy', ...proxyOptions(layout, node))
  start(layout, node, 'network-policy', name, layout.kubeconfig('network-policy'), SERVICES)
}

/** Gives the node its own /sys, /run, /var/lib and /var/log, as on a machine of its own. */
function mountSystem(own: string): void {
  runSync('mount', '--make-rprivate', '/')
  runSync('mount', '-t', 'sysfs', 'sysfs', '/sys')
  runSync('mount', '-t', 'tmpfs', 'cgroup', '/sys/fs/cgroup')
  for (const controller of CONTROLLERS) {
    const at = join('/sys/fs/cgroup', controller)
    mkdirSync(at)
    const options = controller === 'systemd' ? 'none,name=systemd' : controller
    runSync('mount', '-t', 'cgroup', '-o', options, 'cgroup', at)
  }
  for (const folder of ['/run', '/var/log', '/var/lib']) runSync('mount', '-t', 'tmpfs', 'tmpfs', folder)
  for (const folder of ['/var/lib/kubelet', '/var/lib/cni']) mkdirSync(folder)
  runSync('mount', '--bind', join(own, 'kubelet'), '/var/lib/kubelet')
  for (const [name, value] of Object.entries(SYSCTLS)) replaceFile(join('/proc/sys', name), `${value}\n`)
  // A pod's volumes must be visible in its containers.
  runSync('mount', '--make-rshared', '/')
}

/** Shows other content in the place of a file, on this node only. */
function replaceFile(path: string, content: string): void {
  const other = join('/run', path.replaceAll('/', '_'))
  writeFileSync(other, content)
  runSync('mount', '--bind', other, path)
}

function kubeletOptions(layout: Layout, node: NodeNumber): string[] {
  const name = nodeName(node)
  return [
    `--config=${join(layout.node(node), 'kubelet.json')}`,
    `--kubeconfig=${layout.kubeconfig(name)}`,
    `--hostname-override=${name}`,
    `--node-ip=${nodeAddress(node)}`,
    '--root-dir=/var/lib/kubelet',
    `--node-labels=topology.kubernetes.io/zone=zone-${node}`,
  ]
}

function proxyOptions({ kubeconfig }: Layout, node: NodeNumber): string[] {
  return [
    `--kubeconfig=${kubeconfig('proxy')}`,
    '--proxy-mode=nftables',
    `--cluster-cidr=${PODS}`,
    `--hostname-override=${nodeName(node)}`,
    // Nothing of the machine's connection tracking changes.
    '--conntrack-max-per-core=0',
    '--conntrack-tcp-timeout-established=0s',
    '--conntrack-tcp-timeout-close-wait=0s',
    '--healthz-bind-address=127.0.0.1:10256',
    '--metrics-bind-address=127.0.0.1:10249',
  ]
}

/** Restarts it when it ends, as a service manager does. */
function start(layout: Layout, node: NodeNumber, name: string, ...args: string[]): ChildProcess {
  const output = openSync(layout.log(`${nodeName(node)}-${name}`), 'a')
  const child = spawn(name, args, { stdio: ['ignore', output, output] })
  child.on('exit', () => setTimeout(() => start(layout, node, name, ...args), 1000))
  return child
}
