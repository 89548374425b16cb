import { existsSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { type NodeNumber, nodeName } from './layout.ts'

const ROOT = '/sys/fs/cgroup'
export const CONTROLLERS = [
  'cpu',
  'cpuacct',
  'cpuset',
  'memory',
  'devices',
  'freezer',
  'blkio',
  'pids',
  'systemd',
] as const

/** Whether each controller has a hierarchy of its own (version 1), which the nodes are written for. */
export function hasControlGroups(): boolean {
  return CONTROLLERS.every((controller) => existsSync(join(ROOT, controller, 'cgroup.procs')))
}

/** The control groups of a node, one in each hierarchy, below those of this process. */
export function controlGroups(cluster: string, node: NodeNumber): string[] {
  const own = ownControlGroups()
  return CONTROLLERS.map((controller) =>
    join(ROOT, controller, own.get(controller) ?? '', `${cluster}-${nodeName(node)}`),
  )
}

/** Removes control groups that have no processes, with those inside them. */
export function removeControlGroups(folders: readonly string[]): void {
  for (const folder of folders.filter((candidate) => existsSync(candidate))) {
    const inside = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    removeControlGroups(inside.map(({ name }) => join(folder, name)))
    rmdirSync(folder)
  }
}

function ownControlGroups(): Map<string, string> {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [, names = '', path = '/'] = line.split(':')
      return names.split(',').map((name): [string, string] => [name.replace('name=', ''), path])
    }),
  )
}
