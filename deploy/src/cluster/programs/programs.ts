import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { arch, platform } from 'node:process'
import { alreadyBuiltWithGo, builtWithGo, type GoProgram } from '@family-inbox/local-stack/binaries/built-with-go'
import type { Search } from '@family-inbox/local-stack/binaries/found'
import { hasControlGroups } from '../system/control-groups.ts'
import { KUBERNETES } from '../system/layout.ts'
import { cachedDebianPackages, unpackedDebianPackages } from './debian-packages.ts'

const GO = join(import.meta.dirname, '../go')
const SMALL = ['-s', '-w']

const VERSION = {
  gitVersion: `v${KUBERNETES}`,
  gitMajor: '1',
  gitMinor: KUBERNETES.split('.')[1] ?? '',
  gitCommit: 'unknown',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
}

const PROGRAMS: Readonly<Record<'kubernetes' | 'coredns' | 'networkPolicy' | 'metricsServer', GoProgram>> = {
  kubernetes: {
    name: `Kubernetes ${KUBERNETES}`,
    module: join(GO, 'kubernetes'),
    packages: '.',
    takes: 'about ten minutes, once',
    flags: [
      '-ldflags',
      [...SMALL, ...versions('k8s.io/component-base/version', 'k8s.io/client-go/pkg/version')].join(' '),
    ],
    isStatic: true,
  },
  coredns: {
    name: 'CoreDNS',
    module: join(GO, 'coredns'),
    packages: '.',
    takes: 'a few minutes, once',
    flags: ['-ldflags', SMALL.join(' ')],
    isStatic: true,
  },
  networkPolicy: {
    name: 'the controller of network policies',
    module: join(GO, 'network-policy'),
    packages: '.',
    takes: 'a few minutes, once',
    flags: ['-ldflags', SMALL.join(' ')],
    isStatic: true,
  },
  metricsServer: {
    name: 'metrics-server',
    module: join(GO, 'metrics-server'),
    packages: 'sigs.k8s.io/metrics-server/cmd/metrics-server',
    takes: 'a few minutes, once',
    flags: ['-ldflags', SMALL.join(' ')],
    isStatic: true,
  },
}

/** An ingress controller, which a cluster can do without: it takes longer to build than most clusters are used. */
const TRAEFIK: GoProgram = {
  name: 'Traefik',
  module: join(GO, 'traefik'),
  packages: 'github.com/traefik/traefik/v3/cmd/traefik',
  takes: 'about ten minutes, once',
  flags: ['-ldflags', SMALL.join(' ')],
  isStatic: true,
}

/** The folders of what a cluster runs. */
export type Programs = {
  kubernetes: string
  coredns: string
  networkPolicy: string
  metricsServer: string
  debian: string
  /** Only where it was built. */
  traefik?: string
}

const NEEDS = 'A cluster on one machine needs Debian 12 on x86-64, root, and cgroup v1'

/** Why this machine cannot run a cluster; undefined if it can. */
export function whyNotHere(): string | undefined {
  if (platform !== 'linux' || arch !== 'x64') return `${NEEDS}; this is ${platform} on ${arch}`
  if (process.getuid?.() !== 0) return `${NEEDS}; this is not root`
  if (!hasControlGroups()) return `${NEEDS}; this machine has cgroup v2`
  return undefined
}

/** Gets every program that a cluster needs, once per machine and version. */
export async function findPrograms(search: Search): Promise<Programs> {
  const debian = await unpackedDebianPackages(search)
  // One after another: each takes all processors it can get.
  const kubernetes = await builtWithGo(PROGRAMS.kubernetes, search)
  const coredns = await builtWithGo(PROGRAMS.coredns, search)
  const networkPolicy = await builtWithGo(PROGRAMS.networkPolicy, search)
  const metricsServer = await builtWithGo(PROGRAMS.metricsServer, search)
  return complete({ kubernetes, coredns, networkPolicy, metricsServer, debian }, search.env)
}

/** The same and what a cluster can do without. */
export async function findAllPrograms(search: Search): Promise<Programs> {
  const programs = await findPrograms(search)
  return { ...programs, traefik: await builtWithGo(TRAEFIK, search) }
}

/** Those that a cluster needs if nothing has to be downloaded or built. */
export async function cachedPrograms(env: Search['env']): Promise<Programs | undefined> {
  const [debian, kubernetes, coredns, networkPolicy, metricsServer] = await Promise.all([
    cachedDebianPackages(env),
    alreadyBuiltWithGo(PROGRAMS.kubernetes, env),
    alreadyBuiltWithGo(PROGRAMS.coredns, env),
    alreadyBuiltWithGo(PROGRAMS.networkPolicy, env),
    alreadyBuiltWithGo(PROGRAMS.metricsServer, env),
  ])
  if (!debian || !kubernetes || !coredns || !networkPolicy || !metricsServer) return undefined
  return complete({ kubernetes, coredns, networkPolicy, metricsServer, debian }, env)
}

const KUBERNETES_PROGRAMS = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-proxy',
  'kube-scheduler',
  'kubectl',
  'kubelet',
] as const

/** One binary is all of Kubernetes' programs, by the name it is called by. */
async function complete(programs: Programs, env: Search['env']): Promise<Programs> {
  for (const name of KUBERNETES_PROGRAMS) {
    await symlink('kubernetes', join(programs.kubernetes, name)).catch((error) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
  const traefik = await alreadyBuiltWithGo(TRAEFIK, env)
  return { ...programs, ...(traefik && { traefik }) }
}

function versions(...packages: string[]): string[] {
  return packages.flatMap((name) => Object.entries(VERSION).map(([field, value]) => `-X ${name}.${field}=${value}`))
}
