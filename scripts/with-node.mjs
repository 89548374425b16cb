// Runs a file on the pinned Node.js, whatever version (20 or newer) started npm. First installs packages and generates code
// from proto/ if out of date.
// The product needs fewer packages to run than to be checked.
// Usage: node scripts/with-node.mjs [file [argument...]]
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { prepare } from './prepare.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const [file, ...args] = process.argv.slice(2)
const startedBy = process.ppid
/** Programs that do without the packages of checks and tests. */
const PRODUCT = [
  'packages/local-stack/src/start.ts',
  'packages/ops/src/main.ts',
  'deploy/src/keys.ts',
  'deploy/src/backup.ts',
]

try {
  const { node } = await prepare(root, PRODUCT.includes(file) ? 'run' : 'all')
  if (file && !isOrphan()) run(node)
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

/** Runs as a transparent wrapper: same terminal, signals and exit code. */
function run(node) {
  const child = spawn(node, [join(root, file), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      ...process.env,
      PATH: [dirname(node), process.env.PATH].join(delimiter),
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/node-compile'),
    },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  setInterval(() => isOrphan() && child.kill('SIGTERM'), 500).unref()
  child.on('error', (error) => {
    process.stderr.write(`Cannot run ${node}: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

/** A killed npm sends no signal, so its child would keep running. */
function isOrphan() {
  return process.env.npm_lifecycle_event !== undefined && process.ppid !== startedBy
}
