// Runs a file of this repository on the pinned Node.js, whatever Node.js (20 or newer) npm was started with. Before that
// it installs the packages and generates the code from proto/, where either is missing or out of date.
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

try {
  const { node } = await prepare(root)
  if (file && !isOrphan()) run(node)
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

/** Becomes, as far as Node.js allows, the process it starts: same terminal, same signals, same exit code. */
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
    process.stderr.write(`${node} does not run: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

/** npm that is killed tells nobody; what it started would go on unseen. */
function isOrphan() {
  return process.env.npm_lifecycle_event !== undefined && process.ppid !== startedBy
}
