// Copies what an image needs, one service's or that of all: sources, workspace packages, generated code and production packages.
// Node.js runs the sources as they are, so the copy has the workspace's layout. Used by the image files and by tests.
// The same commit gives the same files, modes and times, on any machine and at any time of day: their digest then names the commit.
// Usage: node scripts/lay-out.mjs <service, or all> <empty folder>
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { pinnedPnpm } from './pinned-pnpm.mjs'
import { prepare, withoutNpmNoise, workspaceFolders } from './prepare.mjs'
import { runStep } from './run-step.mjs'
import { settle } from './settle.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const ROOT_FILES = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml']

/** What `all` adds to the services: what starts them, the operator's commands, and backups. */
const AROUND = ['@family-inbox/local-stack', '@family-inbox/deploy']

const TRACES = /^\.bin$|^\.modules\.yaml$|^\.pnpm-workspace-state.*\.json$/

const [wanted, out] = process.argv.slice(2)
try {
  await layOut(wanted, out)
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

async function layOut(wanted, out) {
  const projects = workspaceProjects()
  const services = [...projects.values()].filter(isService).map(({ name }) => name)
  const names =
    wanted === 'all' ? [...services, ...AROUND] : services.filter((name) => name === `@family-inbox/${wanted}`)
  if (!out || names.length === 0) throw new Error('Usage: node scripts/lay-out.mjs <service, or all> <empty folder>')
  if (existsSync(out) && readdirSync(out).length > 0) throw new Error(`${out} is not empty`)
  await prepare(root, 'run')
  // pnpm checks the lockfile against every project, so all must be present during installation.
  for (const file of ROOT_FILES) copy(file, out)
  for (const { dir } of projects.values()) copy(join(dir, 'package.json'), out)
  await installPackages(names, out)
  const needed = new Set()
  for (const name of names) withDependencies(projects.get(name), projects, needed)
  for (const project of projects.values()) {
    if (needed.has(project)) copySources(project.dir, out)
    else rmSync(join(out, project.dir), { recursive: true })
  }
  removeTraces(join(out, 'node_modules'))
  for (const project of needed) removeTraces(join(out, project.dir, 'node_modules'))
  settle(out)
}

function workspaceProjects() {
  const dirs = workspaceFolders(root).filter((dir) => dir !== '.')
  const projects = dirs.map((dir) => ({ dir, ...JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8')) }))
  return new Map(projects.map((project) => [project.name, project]))
}

function isService({ dir }) {
  return dir.startsWith('services/') && existsSync(join(root, dir, 'src/main.ts'))
}

/** Adds a project of this workspace and those it depends on. */
function withDependencies(project, projects, found) {
  if (project === undefined || found.has(project)) return
  found.add(project)
  for (const name of Object.keys(project.dependencies ?? {})) withDependencies(projects.get(name), projects, found)
}

async function installPackages(names, out) {
  const env = withoutNpmNoise(process.env)
  // Copies, because a link would give its mode and time to pnpm's store and every checkout.
  const copies = '--config.package-import-method=clone-or-copy'
  const install = ['install', '--frozen-lockfile', '--prod', '--prefer-offline', '--ignore-scripts', copies]
  const filters = names.map((name) => `--filter=${name}...`)
  const command = [...(await pinnedPnpm(root, env)), ...install, ...filters]
  return runStep('Installing packages', command, { cwd: out, env })
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

/** Removes what pnpm writes for its next run, with dates and paths of this machine, and links for shells, which nothing here calls. */
function removeTraces(folder) {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name)
    if (TRACES.test(entry.name)) rmSync(path, { recursive: true })
    else if (entry.isDirectory()) removeTraces(path)
  }
}

function entriesOf(folder) {
  return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []
}
