// Copies what a service's image needs: its sources, its workspace packages, generated code and production packages.
// Node.js runs the sources as they are, so the copy has the workspace's layout. Used by the Dockerfile and by tests.
// Usage: node scripts/lay-out.mjs <service> <empty folder>
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { pinnedPnpm } from './pinned-pnpm.mjs'
import { prepare, withoutNpmNoise, workspaceFolders } from './prepare.mjs'
import { runStep } from './run-step.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const ROOT_FILES = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml']

const [service, out] = process.argv.slice(2)
try {
  await layOut(service, out)
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

async function layOut(service, out) {
  const projects = workspaceProjects()
  const main = projects.get(`@family-inbox/${service}`)
  if (!out || !main || !existsSync(join(root, main.dir, 'src/main.ts'))) {
    throw new Error('Usage: node scripts/lay-out.mjs <service> <empty folder>')
  }
  if (existsSync(out) && readdirSync(out).length > 0) throw new Error(`${out} is not empty`)
  await prepare(root, 'run')
  // pnpm checks the lockfile against every project, so all must be present during installation.
  for (const file of ROOT_FILES) copy(file, out)
  for (const { dir } of projects.values()) copy(join(dir, 'package.json'), out)
  await installPackages(service, out)
  const needed = withDependencies(main, projects)
  for (const project of projects.values()) {
    if (needed.has(project)) copySources(project.dir, out)
    else rmSync(join(out, project.dir), { recursive: true })
  }
}

function workspaceProjects() {
  const dirs = workspaceFolders(root).filter((dir) => dir !== '.')
  const projects = dirs.map((dir) => ({ dir, ...JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8')) }))
  return new Map(projects.map((project) => [project.name, project]))
}

function withDependencies(project, projects, found = new Set()) {
  if (project === undefined || found.has(project)) return found
  found.add(project)
  for (const name of Object.keys(project.dependencies ?? {})) withDependencies(projects.get(name), projects, found)
  return found
}

async function installPackages(service, out) {
  const env = withoutNpmNoise(process.env)
  const install = ['install', '--frozen-lockfile', '--prod', '--prefer-offline', '--ignore-scripts']
  const command = ['npx', ...(await pinnedPnpm(root, env)), ...install, `--filter=@family-inbox/${service}...`]
  return runStep(`Installing packages for ${service}`, command, { cwd: out, env })
}

function copySources(dir, out) {
  cpSync(join(root, dir), join(out, dir), { recursive: true, filter: isShipped })
}

function copy(path, out) {
  mkdirSync(dirname(join(out, path)), { recursive: true })
  cpSync(join(root, path), join(out, path))
}

function isShipped(path) {
  const name = basename(path)
  return name !== 'node_modules' && !name.endsWith('.test.ts')
}
