import { spawn } from 'node:child_process'
import { mkdirSync, openSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { controlGroups } from '../system/control-groups.ts'
import { type Layout, type NodeNumber, nodeName } from '../system/layout.ts'

/** A group has the weight of one process by default, and a node runs dozens. Where others work, its pods would answer too late. */
const CPU_SHARES = 8192

/** Moves itself into the control groups of a node, then runs a command there: a namespace of them begins where its process is. */
const IN_CONTROL_GROUPS = `
set -e
for folder in "$@"; do
  [ "$folder" = -- ] && break
  shift
  mkdir -p "$folder"
  case "$folder" in
    */cpuset/*) for file in cpuset.cpus cpuset.mems; do cat "\${folder%/*}/$file" > "$folder/$file"; done ;;
    */cpu/*) echo ${CPU_SHARES} > "$folder/cpu.shares" ;;
  esac
  echo $$ > "$folder/cgroup.procs"
done
shift
exec "$@"
`

/** Starts a node in namespaces of its own. It ends like a machine without power when the process in `pid` is killed. */
export function startNode({ dir, log, pid, id }: Layout, node: NodeNumber): void {
  for (const file of [log(nodeName(node)), pid(node)]) mkdirSync(dirname(file), { recursive: true })
  const output = openSync(log(nodeName(node)), 'a')
  const namespaces = ['--mount', '--uts', '--ipc', '--pid', '--cgroup', '--fork', '--kill-child', '--mount-proc']
  const first = [process.execPath, join(import.meta.dirname, 'main.ts'), dir, `${node}`]
  const unshare = ['nsenter', `--net=/run/netns/${nodeName(node)}`, 'unshare', ...namespaces, '--', ...first]
  const args = ['-c', IN_CONTROL_GROUPS, 'sh', ...controlGroups(id, node), '--', ...unshare]
  const child = spawn('sh', args, { stdio: ['ignore', output, output] })
  writeFileSync(pid(node), `${child.pid}`)
}
