import { chmod, copyFile, cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { run } from '../system/run.ts'

const MONGOSH = '2.5.8'

const FOLDERS = ['bin', 'etc', 'lib', 'lib64', 'proc', 'sys', 'dev', 'run', 'var', 'usr/bin', 'usr/local/bin', 'tmp']

/** What probes, hooks and people in a shell call. */
const COMMANDS =
  'cat date df echo env false grep head id ls mkdir mount nc nslookup ping ps rm sh sleep stat tail touch true wget'

/** The smallest system that programs here run on. */
export async function addBusybox(root: string, debian: string): Promise<void> {
  for (const folder of FOLDERS) await mkdir(join(root, folder), { recursive: true })
  await chmod(join(root, 'tmp'), 0o1777)
  await addFile(root, join(debian, 'bin/busybox'), 'bin/busybox', 0o755)
  for (const command of COMMANDS.split(' ')) await symlink('busybox', join(root, 'bin', command))
  await writeFile(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\nservice:x:10001:10001::/tmp:/bin/sh\n')
  await writeFile(join(root, 'etc/group'), 'root:x:0:\nservice:x:10001:\n')
  await writeFile(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n')
  const authorities = 'etc/ssl/certs/ca-certificates.crt'
  await addFile(root, join('/', authorities), authorities)
}

export async function addNode(root: string): Promise<void> {
  await addProgram(root, process.execPath)
  await sharedLibraries(root, process.execPath)
}

export async function addProgram(root: string, path: string): Promise<void> {
  await addFile(root, path, join('usr/local/bin', basename(path)), 0o755)
}

export function addMailpit(root: string): Promise<void> {
  return addFile(root, join(import.meta.dirname, 'mailpit.cjs'), 'mailpit', 0o755)
}

/** The probes and the hook of mongod call mongosh. */
export async function addMongod(root: string, path: string): Promise<void> {
  await addProgram(root, path)
  await sharedLibraries(root, path)
  await addMongosh(root)
}

async function addMongosh(root: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'family-inbox-mongosh-'))
  try {
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--omit=optional', '--prefix', folder]
    await run(['npm', 'install', ...options, `mongosh@${MONGOSH}`], { cwd: folder, timeoutMs: 600_000 })
    await cp(join(folder, 'node_modules'), join(root, 'opt/mongosh/node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const start = '#!/bin/sh\nexec node /opt/mongosh/node_modules/mongosh/bin/mongosh.js "$@"\n'
  await mkdir(join(root, 'usr/bin'), { recursive: true })
  await writeFile(join(root, 'usr/bin/mongosh'), start, { mode: 0o755 })
}

/** Copies the libraries that a program of this machine is linked with, and those that resolve names. */
async function sharedLibraries(root: string, program: string): Promise<void> {
  const listed = await run(['ldd', program])
  const linked = [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path)
  const folder = dirname(linked.find((path) => basename(path).startsWith('libc.so')) ?? '/lib/libc.so.6')
  const resolving = ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2'].map((name) => join(folder, name))
  for (const path of new Set([...linked, ...resolving])) await addFile(root, path, path.slice(1), 0o755)
}

async function addFile(root: string, from: string, to: string, mode = 0o644): Promise<void> {
  const path = join(root, to)
  await mkdir(dirname(path), { recursive: true })
  await copyFile(await realpath(from), path)
  await chmod(path, mode)
}
