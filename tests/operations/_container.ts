import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readUntil } from '../_wait.ts'
import type { ImageConfig } from './_build-image.ts'

const run = promisify(execFile)

export type ContainerOptions = {
  rootfs: string
  config: ImageConfig
  /** Added to those of the image. */
  env: Record<string, string>
  /** The folder of the one volume, if the image has one. */
  volume?: string
}

export type Ran = { code: number; output: string }

export type Container = AsyncDisposable & {
  output(): string
  /** The seconds that its start took, as it prints. @throws with its output when it ends before */
  untilReady(): Promise<number>
  /** Runs a command inside, as a shell of the container would. */
  exec(...command: string[]): Promise<Ran>
  /** Users and memory of its processes: each one's share in bytes (PSS). */
  processes(): Promise<{ uid: number; bytes: number }[]>
  signal(name: 'TERM' | 'KILL'): Promise<void>
  /** @returns its exit code */
  ended(): Promise<number>
}

/** Runs an image as `compose.yaml` says: a read-only root, no capabilities, one volume, and a /tmp. With the network of this machine. */
export async function startContainer(options: ContainerOptions): Promise<Container> {
  const bundle = await mkdtemp(join(tmpdir(), 'family-inbox-container-'))
  const id = `family-inbox-${randomUUID()}`
  const runc = ['--root', join(bundle, 'runc')]
  await writeFile(join(bundle, 'config.json'), JSON.stringify(specOf(options, id)))
  const child = spawn('runc', [...runc, 'run', '--bundle', bundle, id], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ended = once(child, 'close').then(([code]) => code as number)
  const pids = async () => JSON.parse((await run('runc', [...runc, 'ps', '--format', 'json', id])).stdout) as number[]
  return {
    output: () => output,
    ended: () => ended,
    async untilReady() {
      const printed = await readUntil(
        async () => output,
        (text) => READY.test(text) || hasEnded(child),
      )
      const [, seconds] = READY.exec(printed) ?? []
      if (seconds === undefined) throw new Error(`It ended with ${child.exitCode}:\n${printed}`)
      return Number(seconds)
    },
    exec: (...command) =>
      run('runc', [...runc, 'exec', id, ...command]).then(
        ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
        ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
      ),
    processes: async () => Promise.all((await pids()).map(readProcess)),
    signal: async (name) => void (await run('runc', [...runc, 'kill', id, name])),
    async [Symbol.asyncDispose]() {
      if (!hasEnded(child)) await run('runc', [...runc, 'kill', id, 'KILL']).catch(() => {})
      await ended
      await run('runc', [...runc, 'delete', '--force', id]).catch(() => {})
      await rm(bundle, { recursive: true, force: true })
    },
  }
}

const READY = /^ready in ([\d.]+) s/m

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

async function readProcess(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const memory = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  return {
    uid: Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]),
    bytes: Number(/^Pss:\s+(\d+) kB/m.exec(memory)?.[1]) * 1024,
  }
}

/** The runtime's specification (opencontainers/runtime-spec), with what a Docker would fill in. */
function specOf({ rootfs, config, env, volume }: ContainerOptions, id: string): object {
  const [uid, gid] = config.User.split(':').map(Number)
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const hidden = ['nosuid', 'noexec', 'nodev']
  const [at = ''] = Object.keys(config.Volumes ?? {})
  return {
    ociVersion: '1.0.2',
    hostname: 'server',
    process: {
      user: { uid, gid },
      args: [...(config.Entrypoint ?? []), ...config.Cmd],
      env: [...config.Env, ...variables],
      cwd: config.WorkingDir,
      capabilities: {},
      noNewPrivileges: true,
    },
    root: { path: rootfs, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=65536k'] },
      { destination: '/dev/shm', type: 'tmpfs', source: 'shm', options: [...hidden, 'mode=1777', 'size=65536k'] },
      { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: [...hidden, 'mode=1777'] },
      ...(volume === undefined ? [] : [{ destination: at, type: 'bind', source: volume, options: ['rbind', 'rw'] }]),
      ...['/etc/hosts', '/etc/resolv.conf'].map((file) => ({
        destination: file,
        type: 'bind',
        source: file,
        options: ['rbind', 'ro'],
      })),
    ],
    linux: {
      cgroupsPath: `/${id}`,
      namespaces: ['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
      maskedPaths: ['/proc/kcore', '/proc/keys', '/proc/timer_list'],
      readonlyPaths: ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'],
    },
  }
}
