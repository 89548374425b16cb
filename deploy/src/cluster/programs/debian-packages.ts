import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDir } from '@family-inbox/local-stack/binaries/binary-cache'
import { cachedFolder } from '@family-inbox/local-stack/binaries/built-with-go'
import type { Search } from '@family-inbox/local-stack/binaries/found'
import { run } from '../system/run.ts'

/** What is neither Kubernetes nor on every Debian, with the libraries of each. Nothing is installed. */
const PACKAGES = [
  ...['containerd', 'runc', 'containernetworking-plugins', 'etcd-server', 'busybox-static', 'iproute2'],
  ...['nftables', 'iptables', 'ipset', 'conntrack'],
  ...['libbpf1', 'libbsd0', 'libedit2', 'libelf1', 'libgmp10', 'libip4tc2', 'libip6tc2', 'libipset13', 'libjansson4'],
  ...['libmnl0', 'libnetfilter-conntrack3', 'libnfnetlink0', 'libnftables1', 'libnftnl11', 'libseccomp2'],
  'libxtables12',
]

const IPTABLES = ['iptables', 'iptables-restore', 'iptables-save', 'ip6tables', 'ip6tables-restore', 'ip6tables-save']

/** Downloads and unpacks the packages, once per release of the system. @returns their root folder */
export async function unpackedDebianPackages({ env, say }: Search): Promise<string> {
  return cachedFolder(cacheDir(env), await idOfPackages(), async (dir) => {
    say('Getting containerd, runc, etcd and network tools with apt-get (48 MB)…')
    const downloads = join(dir, 'downloads')
    const root = join(dir, 'root')
    for (const folder of [downloads, root]) await mkdir(folder)
    await run(['apt-get', 'download', ...PACKAGES], { cwd: downloads, timeoutMs: 600_000 })
    for (const file of await readdir(downloads)) await run(['dpkg', '-x', join(downloads, file), root])
    // Debian makes these links when a package is installed.
    for (const name of IPTABLES) await symlink('xtables-nft-multi', join(root, 'usr/sbin', name))
    return root
  })
}

export async function cachedDebianPackages(env: Search['env']): Promise<string | undefined> {
  const path = join(cacheDir(env), await idOfPackages())
  return (await readdir(path).catch(() => undefined)) && path
}

async function idOfPackages(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '')
  const hash = createHash('sha256').update([release, ...PACKAGES].join('\n'))
  return `cluster-debian-${hash.digest('hex').slice(0, 12)}`
}
