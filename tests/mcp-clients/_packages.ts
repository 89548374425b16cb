import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { cacheDir } from '@family-inbox/local-stack/binaries/binary-cache'
import type { Tier } from '../../scripts/testing/tiers.ts'
import { makeOnce } from '../_make-once.ts'

const run = promisify(execFile)
const CACHE = cacheDir(process.env)
const DRIVERS = join(import.meta.dirname, 'drivers')

export const GO = findProgram('go', '/usr/local/go/bin')
export const CARGO = findProgram('cargo', join(homedir(), '.cargo/bin'))

type Package = {
  /** Its name in the cache: another version or source has another. */
  folder: string
  install(folder: string): Promise<unknown>
  /** What is used of it, within the folder. */
  used?: string
}

/** What clients in other languages need. For Python it is what to set as PYTHONPATH, for Go and Rust the program. */
const PACKAGES = {
  'Python SDK 1': python('mcp', '1.30.0'),
  'Python SDK 2': python('mcp', '2.3.0'),
  fastmcp: python('fastmcp', '4.1.2'),
  'langchain-mcp-adapters': python('langchain-mcp-adapters', '0.3.2'),
  'openai-agents': python('openai-agents', '0.24.0'),
  'pydantic-ai-slim': python('pydantic-ai-slim', '2.68.0'),
  'google-genai': python('google-genai', '3.4.0'),
  'AI SDK': node('@ai-sdk/mcp', '2.0.99'),
  Inspector: node('@modelcontextprotocol/inspector', '2.12.0'),
  'Go SDK and mcp-go': go(),
  rmcp: rust(),
} satisfies Record<string, Package>

export type PackageName = keyof typeof PACKAGES

/** Names the packages that no registry gave, with the reason, as JSON. */
export const LACKING_PACKAGES = 'TEST_LACKING_PACKAGES'

/** Installs or builds it, once on a machine. @returns the path of what is used of it */
export async function fetchPackage(name: PackageName): Promise<string> {
  const { folder, install, used = '' }: Package = PACKAGES[name]
  return join(await makeOnce(join(CACHE, folder), install), used)
}

/** What the tests of each tier need. */
const NEEDED: Readonly<Record<Tier, PackageName[]>> = {
  fast: ['AI SDK'],
  long: Object.keys(PACKAGES) as PackageName[],
  cluster: [],
}

/** Fetches what the tests of a tier need. @returns what no registry gave, with the reason */
export async function fetchPackages(
  tier: Tier,
  say: (message: string) => void,
): Promise<Partial<Record<PackageName, string>>> {
  const lacking: Partial<Record<PackageName, string>> = {}
  for (const name of NEEDED[tier]) {
    if (isFetched(name) || whyLacking(name) !== undefined) continue
    say(`Installing ${name} for the tests of clients…`)
    await fetchPackage(name).catch((error: Error) => {
      // Any other failure is one of the tests that need it.
      if (isRegistryAway(error)) lacking[name] = 'the package registry does not answer'
    })
  }
  return lacking
}

/** Why tests that need it are skipped, if they are. */
export function whyLacking(name: PackageName): string | undefined {
  if (name === 'Go SDK and mcp-go' && GO === undefined) return 'Go is not installed'
  if (name === 'rmcp' && !canBuildRust()) return 'cargo is not installed, or TEST_SCALE is not full'
  return JSON.parse(process.env[LACKING_PACKAGES] ?? '{}')[name]
}

/** What the title of a test says that is skipped for want of something; empty for others. */
export function skippedFor(lacking: string | undefined): string {
  return lacking === undefined ? '' : ` [skipped: ${lacking}]`
}

/** The first build takes minutes. */
function canBuildRust(): boolean {
  return CARGO !== undefined && (process.env.TEST_SCALE === 'full' || isFetched('rmcp'))
}

function isFetched(name: PackageName): boolean {
  return existsSync(join(CACHE, PACKAGES[name].folder))
}

/** Whether an installation failed because nothing answered, not because of what was asked for. */
function isRegistryAway({ message }: Error): boolean {
  return /connection broken|NewConnectionError|NameResolutionError|ConnectTimeout|ProxyError|ENOTFOUND|ETIMEDOUT|ECONNREFUSED|EAI_AGAIN|no such host/i.test(
    message,
  )
}

function python(name: string, version: string): Package {
  const args = ['-m', 'pip', 'install', '--quiet', `${name}==${version}`, '--target']
  return { folder: `python-${name}-${version}`, install: (folder) => run('python3', [...args, folder]) }
}

function node(name: string, version: string): Package {
  const args = ['install', '--silent', '--no-audit', '--no-fund', `${name}@${version}`, '--prefix']
  return {
    folder: `node-${name.replace('/', '-')}-${version}`,
    install: (folder) => run('npm', [...args, folder]),
    used: join('node_modules', name),
  }
}

function go(): Package {
  const packages = ['github.com/modelcontextprotocol/go-sdk@v1.8.0', 'github.com/mark3labs/mcp-go@v1.2.1']
  const sources = ['clients.go', 'oauth.go']
  return {
    folder: nameAfter('go', sources, packages),
    used: 'clients',
    async install(folder) {
      const build = (...args: string[]) => run(String(GO), args, { cwd: folder })
      await build('mod', 'init', 'clients')
      await build('get', ...packages)
      for (const source of sources) await copyFile(join(DRIVERS, source), join(folder, source))
      await build('mod', 'tidy')
      await build('build', '-o', 'clients', '.')
    },
  }
}

function rust(): Package {
  const manifest = `[package]
name = "client"
version = "0.0.0"
edition = "2024"
[dependencies]
rmcp = { version = "=3.9.0", features = ["auth", "client", "transport-streamable-http-client-reqwest"] }
reqwest = { version = "0.13", default-features = false }
tokio = { version = "1", features = ["macros", "rt"] }
serde_json = "1"
`
  return {
    folder: nameAfter('rust', ['client.rs'], [manifest]),
    used: 'client',
    async install(folder) {
      await mkdir(join(folder, 'src'))
      await writeFile(join(folder, 'Cargo.toml'), manifest)
      await copyFile(join(DRIVERS, 'client.rs'), join(folder, 'src/main.rs'))
      await run(String(CARGO), ['build', '--quiet'], { cwd: folder })
      await rename(join(folder, 'target/debug/client'), join(folder, 'client'))
      await rm(join(folder, 'target'), { recursive: true })
    },
  }
}

/** Runs a program with JSON as its input. @returns the JSON it prints @throws with what it says, if it fails */
export async function runWith(program: string, args: string[], input: unknown = {}, env: NodeJS.ProcessEnv = {}) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, timeout: 120_000 })
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(input))
  const [output, problems] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (child.exitCode !== 0) throw new Error(`${program} ${args[0]} failed: ${problems.slice(-2000)}`)
  return JSON.parse(output)
}

/** A changed source or version gets a name of its own. */
function nameAfter(kind: string, sources: string[], versions: string[]): string {
  const hash = createHash('sha256').update(versions.join())
  for (const source of sources) hash.update(readFileSync(join(DRIVERS, source)))
  return `${kind}-clients-${hash.digest('hex').slice(0, 12)}`
}

function findProgram(name: string, usual: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), usual]
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}
