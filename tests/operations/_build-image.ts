import { execFile } from 'node:child_process'
import { copyFile, cp, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { cacheDir } from '@family-inbox/local-stack/binaries/binary-cache'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { findNatsServer } from '@family-inbox/local-stack/binaries/find-nats-server'
import type { Found } from '@family-inbox/local-stack/binaries/found'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { SHARED_IMAGES } from '../../scripts/testing/share-images.ts'
import { makeOnce } from '../_make-once.ts'

const run = promisify(execFile)
const env = readEnvironment()

/** Debian's tools, and root. CI installs them (`.ci/run`). */
const hasTools =
  process.platform === 'linux' &&
  userInfo().uid === 0 &&
  (await Promise.all(['buildah', 'runc', 'mmdebstrap'].map((tool) => isInstalled(tool)))).every(Boolean)

/** Whether images can be built and run here: with these tools, and Debian's packages in reach or kept from an earlier run. */
export const CAN_BUILD_IMAGES =
  hasTools &&
  (await debian().then(
    () => true,
    () => false,
  ))

async function isInstalled(tool: string): Promise<boolean> {
  return run(tool, ['--version']).then(
    () => true,
    () => false,
  )
}

export type ImageConfig = {
  User: string
  Env: string[]
  Entrypoint: string[] | null
  Cmd: string[]
  WorkingDir: string
  Labels: Record<string, string>
  Volumes: object | null
  ExposedPorts: object
  Healthcheck: { Test: string[] }
}

export type ImageStore = AsyncDisposable & {
  /** Builds from a file of this repository. */
  build(name: string, file: string, args?: Record<string, string>): Promise<void>
  /** Builds from an image of this store and these files, by their paths in it. */
  extend(name: string, from: string, files: Record<string, string>): Promise<void>
  configOf(name: string): Promise<ImageConfig>
  /** What its files take on a disk, without folders, whose size is different on each file system. */
  bytesOf(name: string): Promise<number>
  /** Its files, until the store is disposed. */
  mount(name: string): Promise<string>
}

const BASE = 'localhost/base'
const PARTS = 'localhost/parts'
const BLOCK_BYTES = 512

/**
 * A place for images that has those which an image file names: made here, since no registry of images may be in reach.
 * The files of one run share it, so an image is built once: its name says what it is built from.
 */
export async function openImageStore(): Promise<ImageStore> {
  const shared = process.env[SHARED_IMAGES]
  const dir = shared === undefined ? await mkdtemp(join(tmpdir(), 'family-inbox-images-')) : join(shared, 'store')
  const storage = ['--root', join(dir, 'root'), '--runroot', join(dir, 'run')]
  const overlay = [...storage, '--storage-driver', 'overlay']
  const containers = await run('buildah', [...overlay, 'from', 'scratch']).then(
    ({ stdout }) => [stdout.trim()],
    (): string[] => [], // inside another overlay
  )
  const global = containers.length > 0 ? overlay : [...storage, '--storage-driver', 'vfs']
  const buildah = async (...args: string[]) =>
    (await run('buildah', [...global, ...args], { env, timeout: 500_000, maxBuffer: 1e8 })).stdout.trim()
  const build = (name: string, folder: string, ...args: string[]) =>
    buildah('build', '--isolation', 'chroot', '--format', 'docker', '--quiet', '--tag', name, ...args, folder)
  /** @param make gets a folder for the files that it builds from */
  const once = (name: string, make: (folder: string) => Promise<unknown>) =>
    makeOnce(join(dir, 'built', name), async (folder) => {
      await make(folder)
      for (const entry of await readdir(folder)) await rm(join(folder, entry), { recursive: true })
    })
  const inspect = async (name: string) => JSON.parse(await buildah('inspect', '--type', 'image', name))
  const mount = async (name: string) => {
    const container = await buildah('from', name)
    containers.push(container)
    return buildah('mount', container)
  }

  await once(BASE, async (folder) => {
    await copyFile(join(await debian(), 'base.tar'), join(folder, 'base.tar'))
    await writeFile(join(folder, 'Containerfile'), 'FROM scratch\nADD base.tar /\n')
    await build(BASE, folder)
  })
  await once(PARTS, async (folder) => {
    await collectParts(folder)
    await build(PARTS, folder)
  })
  return {
    async build(name, file, args = {}) {
      const instead = { NODE_IMAGE: PARTS, MONGO_IMAGE: PARTS, NATS_IMAGE: PARTS, BASE }
      const given = Object.entries({ ...instead, ...args }).map(([part, value]) => `--build-arg=${part}=${value}`)
      await once(name, () => build(name, REPOSITORY, '--file', file, ...given))
    },
    async extend(name, from, files) {
      await once(name, async (folder) => {
        for (const [path, content] of Object.entries(files)) {
          await mkdir(dirname(join(folder, 'files', path)), { recursive: true })
          await writeFile(join(folder, 'files', path), content)
        }
        await writeFile(join(folder, 'Containerfile'), `FROM ${from}\nCOPY files /\n`)
        await build(name, folder)
      })
    },
    configOf: async (name) => (await inspect(name)).Docker.config,
    async bytesOf(name) {
      const inodes = ['-xdev', '-type', 'f', '-printf', '%i %b\n']
      const { stdout } = await run('find', [await mount(name), ...inodes], { maxBuffer: 1e8 })
      // A file with several names counts once.
      const blocks = new Map(stdout.split('\n').map((line) => line.split(' ', 2) as [inode: string, blocks: string]))
      return BLOCK_BYTES * [...blocks.values()].reduce((sum, each) => sum + Number(each ?? 0), 0)
    },
    mount,
    async [Symbol.asyncDispose]() {
      const made = shared === undefined ? ['--all'] : containers
      if (made.length > 0) await buildah('rm', ...made)
      if (shared === undefined) await rm(dir, { recursive: true, force: true })
    },
  }
}

/** What `debian:bookworm-slim` has. */
function debian(): Promise<string> {
  return makeOnce(join(cacheDir(env), 'debian-bookworm'), async (part) => {
    const left = ['doc', 'man', 'info', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`)
    const withoutPerl = `chroot "$1" apt-get --yes --quiet purge --auto-remove usrmerge '^perl$' '^perl-modules' '^libperl'`
    const options = ['--variant=apt', '--include=usr-is-merged', '--aptopt=Apt::Install-Recommends "false"', ...left]
    const target = join(part, 'base.tar')
    await run('mmdebstrap', [...options, `--customize-hook=${withoutPerl}`, 'bookworm', target], {
      env,
      timeout: 300_000,
    })
  })
}

/** What an image takes from those of Node.js, MongoDB and NATS, at the same paths, with its Containerfile. */
async function collectParts(folder: string): Promise<void> {
  const search = { env, say: () => {} }
  await copyFile(pathOf(await findMongod(search)), join(folder, 'mongod'))
  await copyFile(pathOf(await findNatsServer(search)), join(folder, 'nats-server'))
  await copyFile(process.execPath, join(folder, 'node'))
  await cp(await findNpm(), join(folder, 'npm'), { recursive: true })
  const lines = [
    `FROM ${BASE}`,
    'COPY mongod /usr/bin/',
    'COPY nats-server node /usr/local/bin/',
    'COPY npm /usr/local/lib/node_modules/npm',
    ...['npm', 'npx'].map((name) => `RUN ln -s ../lib/node_modules/npm/bin/${name}-cli.js /usr/local/bin/${name}`),
  ]
  // A network may have an authority of its own.
  const authorities = env.NODE_EXTRA_CA_CERTS
  if (authorities) {
    await copyFile(authorities, join(folder, 'authorities.pem'))
    lines.push('COPY authorities.pem /etc/authorities.pem', 'ENV NODE_EXTRA_CA_CERTS=/etc/authorities.pem')
  }
  await writeFile(join(folder, 'Containerfile'), `${lines.join('\n')}\n`)
}

function pathOf(found: Found): string {
  if ('external' in found) throw new Error('An image needs a program of its own: unset MONGODB_URI and NATS_URL.')
  return found.path
}

/** The folder of npm, from its program `npm/bin/npm-cli.js`. */
async function findNpm(): Promise<string> {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    const program = await realpath(join(folder, 'npm')).catch(() => '')
    if (program.endsWith('npm-cli.js')) return join(dirname(program), '..')
  }
  throw new Error('npm is not on PATH')
}
