import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const MODULE = join(import.meta.dirname, '../go/kubernetes/go.mod')
/** The version of Kubernetes that is built. */
export const KUBERNETES = /k8s\.io\/kubernetes v(\S+)/.exec(readFileSync(MODULE, 'utf8'))?.[1] ?? ''

export const NODES = [1, 2, 3] as const
export type NodeNumber = (typeof NODES)[number]

// The network exists in namespaces of its own, so these addresses clash with nothing on the machine.
export const CONTROL_PLANE = '10.90.0.1'
export const REGISTRY = `${CONTROL_PLANE}:5000`
export const PODS = '10.244.0.0/16'
export const SERVICES = '10.96.0.0/16'
export const FIRST_SERVICE = '10.96.0.1'
export const DNS_SERVICE = '10.96.0.10'
/** A network that stands for the internet: public addresses by RFC 5737. */
export const INTERNET = { gateway: '198.51.100.1', host: '198.51.100.10', bits: 24 }

export function nodeName(node: NodeNumber): string {
  return `n${node}`
}

export function nodeAddress(node: NodeNumber): string {
  return `10.90.0.1${node}`
}

export function podsOf(node: NodeNumber): string {
  return `10.244.${node}.0/24`
}

/** Where a cluster keeps what it writes. Everything is below `dir`, and `down` removes it. */
export type Layout = ReturnType<typeof layoutIn>

export function layoutIn(dir: string) {
  const within = (...names: string[]) => join(dir, ...names)
  return {
    dir,
    /** Tells apart the control groups of several clusters on one machine. */
    id: createHash('sha256').update(dir).digest('hex').slice(0, 8),
    /** The process that everything else ends with. */
    state: within('cluster.json'),
    programs: within('programs.json'),
    images: within('images.json'),
    etcd: within('etcd'),
    keys: within('keys'),
    certificates: within('certificates'),
    kubeconfig: (name: string) => within('kubeconfigs', name),
    log: (name: string) => within('logs', `${name}.log`),
    node: (node: NodeNumber) => within('nodes', nodeName(node)),
    pid: (node: NodeNumber) => within('nodes', `${nodeName(node)}.pid`),
  }
}
