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

const PROGRAMS: Readonly<Record<'kubernetes' | 'coredns' | 'networkPolicy', GoProgram>> = {
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
}

/** What a cluster runs, and the environment that finds it. */
export type Programs = { kubernetes: string; coredns: string; networkPolicy: string; debian: string }

const NEEDS = 'A cluster on one machine needs Debian 12 on x86-64, root, and cgroup v1'

/** Why this machine cannot run a cluster; undefined if it can. */
export function whyNotHere(): string | undefined {
  if (platform !== 'linux' || arch !== 'x64') return `${NEEDS}; this is ${platform} on ${arch}`
  if (process.getuid?.() !== 0) return `${NEEDS}; this is not root`
  if (!hasControlGroups()) return `${NEEDS}; this machine has cgroup v2`
  return undefined
}

/** Gets every program, once per machine and version. */
export async function findPrograms(search: Search): Promise<Programs> {
  const debian = await unpackedDebianPackages(search)
  // One after another: each takes all processors it can get.
  const kubernetes = await builtWithGo(PROGRAMS.kubernetes, search)
  const coredns = await builtWithGo(PROGRAMS.coredns, search)
  const networkPolicy = await builtWithGo(PROGRAMS.networkPolicy, search)
  return named({ kubernetes, coredns, networkPolicy, debian })
}

/** The same if nothing has to be downloaded or built. */
export async function cachedPrograms(env: Search['env']): Promise<Programs | undefined> {
  const [debian, kubernetes, coredns, networkPolicy] = await Promise.all([
    cachedDebianPackages(env),
    alreadyBuiltWithGo(PROGRAMS.kubernetes, env),
    alreadyBuiltWithGo(PROGRAMS.coredns, env),
    alreadyBuiltWithGo(PROGRAMS.networkPolicy, env),
  ])
  if (!debian || !kubernetes || !coredns || !networkPolicy) return undefined
  return named({ kubernetes, coredns, networkPolicy, debian })
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
async function named(programs: Programs): Promise<Programs> {
  for (const name of KUBERNETES_PROGRAMS) {
    await symlink('kubernetes', join(programs.kubernetes, name)).catch((error) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
  return programs
}

function versions(...packages: string[]): string[] {
  return packages.flatMap((name) => Object.entries(VERSION).map(([field, value]) => `-X ${name}.${field}=${value}`))
}
