// `node deploy/src/sbom.ts`, in an image: lists what it is made of as a CycloneDX bill of materials (ECMA-424). For an image without a package
// manager: `node deploy/src/sbom.ts <its /app> <its file system>`, as the Dockerfile does.
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { versionOf } from '@family-inbox/local-stack/binaries/find-on-path'
import { REPOSITORY } from '@family-inbox/local-stack/services'

type Component = { type: 'library' | 'application'; name: string; version: string; purl: string; licenses?: object[] }

/** One license, or several (https://spdx.dev/learn/handling-license-info). */
const SPDX = /^\(?[\w.+-]+(?: (?:AND|OR|WITH) [\w.+-]+)*\)?$/

const [app = REPOSITORY, system] = process.argv.slice(2)

const { name, version } = JSON.parse(await readFile(join(app, 'package.json'), 'utf8'))
const components = [...(await programs()), ...(await npmPackages()), ...(await debianPackages())]
const sbom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { component: { type: 'application', name, version } },
  components,
}
process.stdout.write(`${JSON.stringify(sbom)}\n`)

async function programs(): Promise<Component[]> {
  const found = await Promise.all(
    ['node', 'mongod', 'nats-server'].map(async (program) => {
      const number = (await versionOf(program))?.join('.') ?? ''
      return { type: 'application' as const, name: program, version: number, purl: `pkg:generic/${program}@${number}` }
    }),
  )
  return found.filter(({ version: number }) => number !== '')
}

/** As pnpm installed them: each in a folder of its own, among links to those it needs. */
async function npmPackages(): Promise<Component[]> {
  const found = new Map<string, Component>()
  const packages = join(app, 'node_modules/.pnpm')
  for (const folder of (await readdir(packages)).sort()) {
    for (const file of await manifestsIn(join(packages, folder, 'node_modules'))) {
      const { name: own, version: number, license } = JSON.parse(await readFile(file, 'utf8'))
      const purl = `pkg:npm/${own.replace('@', '%40')}@${encodeURIComponent(number)}`
      const licenses = typeof license === 'string' ? { licenses: [licenseOf(license)] } : {}
      found.set(purl, { type: 'library', name: own, version: number, purl, ...licenses })
    }
  }
  return [...found.values()]
}

async function manifestsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
  const files = folders.map((entry) =>
    entry.name.startsWith('@') ? manifestsIn(join(folder, entry.name)) : [join(folder, entry.name, 'package.json')],
  )
  return (await Promise.all(files)).flat()
}

function licenseOf(license: string): object {
  return SPDX.test(license) ? { expression: license } : { license: { name: license } }
}

async function debianPackages(): Promise<Component[]> {
  return (system === undefined ? await installedPackages() : await describedPackages(system)).map(
    ([own = '', number = '', architecture = '']) => {
      const purl = `pkg:deb/debian/${encodeURIComponent(own)}@${encodeURIComponent(number)}?arch=${architecture}`
      return { type: 'library', name: own, version: number, purl }
    },
  )
}

async function installedPackages(): Promise<string[][]> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query fills them in
  const format = '${Package}\t${Version}\t${Architecture}\n'
  const { stdout } = await promisify(execFile)('dpkg-query', ['--show', `--showformat=${format}`])
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
}

/** As `scripts/lay-out-system.mjs` leaves them. */
async function describedPackages(root: string): Promise<string[][]> {
  const folder = join(root, 'var/lib/dpkg/status.d')
  const names = (await readdir(folder)).sort()
  const texts = await Promise.all(names.map((file) => readFile(join(folder, file), 'utf8')))
  const field = (text: string, title: string) => new RegExp(`^${title}: (.*)$`, 'm').exec(text)?.[1] ?? ''
  return texts.map((text) => ['Package', 'Version', 'Architecture'].map((title) => field(text, title)))
}
