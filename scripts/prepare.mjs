import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import { withLock } from './lock.mjs'
import { pinnedPnpm } from './pinned-pnpm.mjs'
import { runStep } from './run-step.mjs'

const OLDEST_NODE = 20

/**
 * Installs packages and generates code where out of date. Otherwise takes milliseconds.
 * @param {'run' | 'all'} need the packages that the product runs on, or also those of checks and tests
 * @returns {Promise<{ node: string }>} the pinned Node.js
 * @throws {Error} one line, after the failed step's output
 */
export async function prepare(root, need = 'all') {
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
    throw new Error(`Node.js ${OLDEST_NODE} or newer is required; this is ${process.versions.node}.`)
  }
  const steps = () => [packages(root, need), generatedCode(root)]
  if (!steps().every(isDone)) {
    // Whoever had the lock before may have installed everything.
    await withLock(join(root, '.cache/prepare.lock'), async () => {
      for (const step of steps()) if (!isDone(step)) await complete(step)
    })
  }
  return { node: pinnedNode(root) }
}

/** Once everything is installed, it stays: installing less would remove packages that something may be running on. */
function packages(root, need) {
  const stampOfAll = join(root, 'node_modules/.family-inbox-packages')
  const isLess = need === 'run' && !existsSync(stampOfAll)
  const env = withoutNpmNoise(process.env)
  return {
    title: 'Installing packages',
    inputs: () => [
      join(root, 'pnpm-lock.yaml'),
      join(root, 'pnpm-workspace.yaml'),
      ...workspaceFolders(root).map((dir) => join(root, dir, 'package.json')),
    ],
    stamp: isLess ? `${stampOfAll}-to-run` : stampOfAll,
    outputs: [pinnedNode(root)],
    // pnpm asks before it reinstalls a moved folder, and no one is there to answer.
    command: async () => [
      ...(await pinnedPnpm(root, env)),
      ...['install', '--frozen-lockfile'],
      '--config.confirmModulesPurge=false',
      ...(isLess ? ['--prod'] : []),
    ],
    options: { cwd: root, env },
    // Headers for compiling, 67 MB. The program itself is linked to where `pinnedNode` finds it.
    leftovers: join(tools(root), 'node/node_modules'),
  }
}

function generatedCode(root) {
  const proto = join(root, 'proto')
  return {
    title: 'Generating code from proto/',
    inputs: () => [join(proto, 'buf.gen.yaml'), ...protoFiles(proto)],
    stamp: join(root, 'node_modules/.family-inbox-generated'),
    outputs: [join(proto, 'src/generated')],
    command: async () => ['buf', 'generate'],
    options: {
      cwd: proto,
      env: {
        ...process.env,
        PATH: [join(tools(root), '.bin'), dirname(pinnedNode(root)), process.env.PATH].join(delimiter),
      },
    },
  }
}

function isDone({ inputs, stamp, outputs }) {
  return outputs.every(existsSync) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(inputs())
}

async function complete({ title, inputs, stamp, command, options, leftovers }) {
  const hash = hashOf(inputs())
  await runStep(title, await command(), options)
  if (leftovers) rmSync(leftovers, { recursive: true, force: true })
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, hash)
}

function hashOf(files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(file).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

function pinnedNode(root) {
  return join(tools(root), 'node/bin/node')
}

function tools(root) {
  return join(root, 'scripts/node_modules')
}

function protoFiles(proto) {
  const isSource = (path) => path.endsWith('.proto') && !path.startsWith('node_modules')
  return readdirSync(proto, { recursive: true })
    .filter(isSource)
    .sort()
    .map((path) => join(proto, path))
}

/** All folders with a package.json, including the root. */
export function workspaceFolders(root) {
  const dirs = ['.', ...foldersOf(root), ...foldersOf(root).flatMap((dir) => foldersOf(root, dir))]
  return dirs.filter((dir) => existsSync(join(root, dir, 'package.json')))
}

function foldersOf(root, dir = '.') {
  return readdirSync(join(root, dir), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map(({ name }) => join(dir, name))
}

/** npm passes its configuration as variables, most of which pnpm warns about. Keeps those about registries and networking. */
export function withoutNpmNoise(env) {
  const isNoise = (name) => /^npm_/i.test(name) && !KEPT.test(name)
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isNoise(name)))
}

const KEPT = /registry|proxy|cafile|_ca$|_cert$|_key$|strict[-_]ssl|_auth|userconfig|globalconfig|npm_config_cache/i
