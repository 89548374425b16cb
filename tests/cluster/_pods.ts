import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { SHARED_IMAGES } from '../../scripts/testing/share-images.ts'
import { makeOnce } from '../_make-once.ts'
import { environmentOf, FILES_AT } from './_environment.ts'
import type { Built, Manifest } from './_manifests.ts'

/** A Deployment's container, running on this machine. */
export type RunningPod = {
  name: string
  /** Its address, with the manifest's ports. */
  address: string
  pid: number
  /** All output. */
  output(): string
  /** Undefined while it runs. */
  exit(): { code: number | null; signal: string | null } | undefined
  /** Sends SIGTERM, and SIGKILL after `graceMs`. */
  stop(graceMs: number): Promise<{ code: number | null; signal: string | null }>
}

export type Machine = AsyncDisposable & {
  /** The address of a service's Nth replica. */
  addressOf(service: string, replica?: number): string
  start(deployment: Manifest, options: PodOptions): Promise<RunningPod>
}

export type PodOptions = {
  /** The content of /app. */
  image: string
  /** The folder of `npm run keys`. */
  keys: string
  replica?: number
  /** Overrides of the manifests: where the test's stores are. */
  instead?: Record<string, string>
  /** Files of each Secret mounted as a folder, by name: certificates. */
  mounted?: (secret: string) => Record<string, string>
}

/** Whether this machine can run container file systems: mount namespaces exist only on Linux. */
export const hasContainers = process.platform === 'linux'

const LAY_OUT = join(import.meta.dirname, '../../scripts/lay-out.mjs')
const REPLICAS = 2

/** Lays out /app of a service's image with the Dockerfile's script, once in a run. */
export async function layOutImage(service: string): Promise<AsyncDisposable & { dir: string }> {
  const shared = process.env[SHARED_IMAGES]
  if (shared !== undefined)
    return {
      dir: await makeOnce(join(shared, service), (dir) => layOut(service, dir)),
      async [Symbol.asyncDispose]() {},
    }
  const dir = await mkdtemp(join(tmpdir(), `family-inbox-image-${service}-`))
  await layOut(service, dir)
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) }
}

async function layOut(service: string, dir: string): Promise<void> {
  await promisify(execFile)(process.execPath, [LAY_OUT, service, dir], { env: readEnvironment(), timeout: 240_000 })
  await chmod(dir, 0o755)
}

/**
 * Runs the manifests' containers like a node: command, variables, files, user, ports, a read-only root file system, no
 * capabilities. Each pod has its own address in 127/8 and finds the others by name.
 */
export async function openMachine(built: Built, services: readonly string[]): Promise<Machine> {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-node-'))
  await chmod(dir, 0o755)
  const network = `127.${randomInt(64, 255)}.${randomInt(0, 256)}`
  const pods: RunningPod[] = []
  const addressOf = (service: string, replica = 0) => `${network}.${1 + services.indexOf(service) * REPLICAS + replica}`
  const etc = join(dir, 'etc')
  await mkdir(etc)
  await writeFile(join(etc, 'hosts'), hostsFile(built, addressOf))
  await writeFile(join(etc, 'nsswitch.conf'), 'hosts: files\n')
  await writeFile(join(etc, 'host.conf'), 'multi on\n') // all addresses of a name, like cluster DNS
  return {
    addressOf,
    async start(deployment, { image, keys, replica = 0, instead = {}, mounted = () => ({}) }) {
      const { name } = deployment.metadata
      const address = addressOf(name, replica)
      const env: Record<string, string> = { ...instead }
      const root = await mkdtemp(join(dir, `${name}-`))
      await chmod(root, 0o755)
      for (const folder of MOUNT_POINTS) await mkdir(join(root, folder), { recursive: true })
      const secrets = join(root, 'files')
      await mkdir(secrets)
      const { securityContext } = deployment.spec.template.spec
      for (const { setting, variable, from, value } of environmentOf(built, deployment)) {
        env[variable] ??= value ?? join(FILES_AT, setting)
        if (value !== undefined) continue
        const [folder, key] = 'secret' in from ? [from.secret, from.key] : ['service-keys', setting]
        await copyFile(join(keys, folder, key), join(secrets, setting))
        await handOver(join(secrets, setting), securityContext.runAsUser)
      }
      const folders = await writeMounted(deployment, root, mounted)
      const pod = run(deployment, { root, etc, image, secrets, address, env, folders })
      pods.push(pod)
      return pod
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(pods.map((pod) => pod.stop(0)))
      await rm(dir, { recursive: true, force: true })
    },
  }
}

const MOUNT_POINTS = ['app', 'bin', 'dev', 'etc', 'lib', 'lib64', 'node', 'proc', 'tmp', 'usr', FILES_AT.slice(1)]

/** Creates the container's root file system, read-only except /tmp, and execs its process. */
const CONTAINER = `
set -e
root=$1 etc=$2 image=$3 files=$4 node=$5 tmp=$6 directory=$7 folders=$8
shift 8
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
mount_ro() { mount --bind "$1" "$2" && mount -o remount,bind,ro "$2"; }
for folder in usr lib lib64 bin; do [ ! -d "/$folder" ] || mount_ro "/$folder" "$folder"; done
mount_ro "$etc" etc
mount_ro "$image" app
mount_ro "$files" .${FILES_AT}
mount_ro "$node" node
for folder in $folders; do mount_ro "$root/mounted$folder" ".$folder"; done
mount -t tmpfs -o "mode=1777,size=$tmp" tmpfs tmp
mount --rbind /proc proc
mount --rbind /dev dev
mount -o remount,bind,ro .
cd "./$directory"
exec chroot "$root" /usr/bin/env --chdir="$directory" "$@"
`

type Container = {
  root: string
  etc: string
  image: string
  secrets: string
  address: string
  env: Record<string, string>
  /** Where Secrets are mounted as folders. */
  folders: string[]
}

function run(deployment: Manifest, { root, etc, image, secrets, address, env, folders }: Container): RunningPod {
  const { containers, volumes, securityContext } = deployment.spec.template.spec
  const [{ command, workingDir }] = containers
  const tmp = volumes.find(({ name }: { name: string }) => name === 'tmp').emptyDir.sizeLimit.replace('Mi', 'm')
  const isRoot = process.getuid?.() === 0
  const user = isRoot
    ? [`--reuid=${securityContext.runAsUser}`, `--regid=${securityContext.runAsGroup}`, '--clear-groups']
    : []
  const confined = ['setpriv', ...user, '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
  const mounts = [root, etc, image, secrets, dirname(process.execPath), tmp, workingDir, folders.join(' ')]
  const namespace = isRoot ? ['--mount'] : ['--mount', '--map-root-user']
  const args = [...namespace, '--', 'sh', '-c', CONTAINER, 'sh', ...mounts, ...confined, ...command]
  // A pod has its own network; here each has its own address.
  const own = { GRPC_HOST: address, HTTP_HOST: address, SMTP_HOST: address, METRICS_HOST: address }
  const variables = { PATH: '/node:/usr/sbin:/usr/bin:/sbin:/bin', NODE_ENV: 'production', ...env, ...own }
  const child = spawn('unshare', args, { env: variables, stdio: ['ignore', 'pipe', 'pipe'] })
  return watched(deployment.metadata.name, address, child)
}

function watched(name: string, address: string, child: ChildProcess): RunningPod {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  const ended = once(child, 'exit')
  const exit = () =>
    child.exitCode === null && child.signalCode === null
      ? undefined
      : { code: child.exitCode, signal: child.signalCode }
  return {
    name,
    address,
    pid: child.pid ?? 0,
    output: () => output,
    exit,
    async stop(graceMs) {
      if (exit() === undefined) {
        child.kill('SIGTERM')
        const force = setTimeout(() => child.kill('SIGKILL'), graceMs)
        await ended
        clearTimeout(force)
      }
      return exit() ?? { code: null, signal: null }
    },
  }
}

/** Writes the Secret volumes like the kubelet. @returns where they are mounted */
async function writeMounted(
  deployment: Manifest,
  root: string,
  filesOf: (secret: string) => Record<string, string>,
): Promise<string[]> {
  const { containers, volumes, securityContext } = deployment.spec.template.spec
  const folders: string[] = []
  for (const { name, secret } of volumes as { name: string; secret?: { secretName: string } }[]) {
    const mount = containers[0].volumeMounts.find((candidate: { name: string }) => candidate.name === name)
    if (secret === undefined || mount === undefined) continue
    await mkdir(join(root, mount.mountPath), { recursive: true })
    const folder = join(root, 'mounted', mount.mountPath)
    await mkdir(folder, { recursive: true })
    for (const [file, content] of Object.entries(filesOf(secret.secretName))) {
      await writeFile(join(folder, file), content)
      await handOver(join(folder, file), securityContext.runAsUser)
    }
    folders.push(mount.mountPath)
  }
  return folders
}

async function handOver(file: string, user: number): Promise<void> {
  await chmod(file, 0o440)
  if (process.getuid?.() === 0) await chown(file, user, user)
}

/** The cluster's names: each Service resolves to its pods. */
function hostsFile(built: Built, addressOf: (service: string, replica: number) => string): string {
  const lines = built.manifests
    .filter(({ kind, spec }) => kind === 'Service' && spec.selector['app.kubernetes.io/name'] !== undefined)
    .flatMap(({ metadata, spec }) => {
      const service = spec.selector['app.kubernetes.io/name']
      const replicas = spec.clusterIP === 'None' ? REPLICAS : 1
      return Array.from({ length: replicas }, (_, replica) => `${addressOf(service, replica)} ${metadata.name}`)
    })
  return `127.0.0.1 localhost\n${lines.join('\n')}\n`
}
