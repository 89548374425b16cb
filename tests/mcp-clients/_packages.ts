import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { withLock } from '../../scripts/lock.mjs'

const run = promisify(execFile)
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'family-care-inbox')
const DRIVERS = join(import.meta.dirname, 'drivers')

/** Installs a Python package once. @returns what to set as PYTHONPATH */
export function fetchPython(name: string, version: string): Promise<string> {
  return fetchOnce(`python-${name}-${version}`, (folder) =>
    run('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, `${name}==${version}`]),
  )
}

/** Whether an installation failed because nothing answered, not because of what was asked for. */
export function isRegistryAway({ message }: Error): boolean {
  return /connection broken|NewConnectionError|NameResolutionError|ConnectTimeout|ProxyError/i.test(message)
}

/** Installs a Node package once. @returns the folder it is in */
export async function fetchNode(name: string, version: string): Promise<string> {
  const folder = await fetchOnce(`node-${name.replace('/', '-')}-${version}`, (target) =>
    run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', target, `${name}@${version}`]),
  )
  return join(folder, 'node_modules', name)
}

export const GO = findProgram('go', '/usr/local/go/bin')
export const CARGO = findProgram('cargo', join(homedir(), '.cargo/bin'))

/** Builds the Go clients once. @returns the program */
export async function buildGo(): Promise<string> {
  const packages = ['github.com/modelcontextprotocol/go-sdk@v1.8.0', 'github.com/mark3labs/mcp-go@v1.2.1']
  const sources = ['clients.go', 'oauth.go']
  const folder = await fetchOnce(nameAfter('go', sources, packages), async (target) => {
    const go = (...args: string[]) => run(String(GO), args, { cwd: target })
    await go('mod', 'init', 'clients')
    await go('get', ...packages)
    for (const source of sources) await copyFile(join(DRIVERS, source), join(target, source))
    await go('mod', 'tidy')
    await go('build', '-o', 'clients', '.')
  })
  return join(folder, 'clients')
}

const MANIFEST = `[package]
name = "client"
version = "0.0.0"
edition = "2024"
[dependencies]
rmcp = { version = "=3.9.0", features = ["auth", "client", "transport-streamable-http-client-reqwest"] }
reqwest = { version = "0.13", default-features = false }
tokio = { version = "1", features = ["macros", "rt"] }
serde_json = "1"
`

/** Where the Rust client is built, which takes minutes the first time. */
const rustFolder = () => nameAfter('rust', ['client.rs'], [MANIFEST])

export function isRustBuilt(): boolean {
  return existsSync(join(CACHE, rustFolder()))
}

/** Builds the Rust client once. @returns the program */
export async function buildRust(): Promise<string> {
  const folder = await fetchOnce(rustFolder(), async (target) => {
    await mkdir(join(target, 'src'))
    await writeFile(join(target, 'Cargo.toml'), MANIFEST)
    await copyFile(join(DRIVERS, 'client.rs'), join(target, 'src/main.rs'))
    await run(String(CARGO), ['build', '--quiet'], { cwd: target })
    await rename(join(target, 'target/debug/client'), join(target, 'client'))
    await rm(join(target, 'target'), { recursive: true })
  })
  return join(folder, 'client')
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

/** Only a complete installation gets the final name. Other test files wait for it: they run in threads of one process. */
async function fetchOnce(name: string, install: (folder: string) => Promise<unknown>): Promise<string> {
  const target = join(CACHE, name)
  if (existsSync(target)) return target
  await withLock(`${target}.lock`, async () => {
    if (existsSync(target)) return
    const fetched = `${target}.part`
    await rm(fetched, { recursive: true, force: true })
    await mkdir(fetched, { recursive: true })
    await install(fetched)
    await rename(fetched, target)
  })
  return target
}
