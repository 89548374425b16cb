// `npm run unit`: the tests that need no server, in seconds. Arguments go to ava.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const UNIT_TESTS = [
  'services/**/*.test.ts',
  'packages/{service-kit,workspace-kit,ops}/**/*.test.ts',
  'deploy/**/*.test.ts',
]

const chosen = process.argv.slice(2)
const ava = join(ROOT, 'node_modules/ava/entrypoints/cli.js')
const args = [ava, ...(chosen.length > 0 ? chosen : UNIT_TESTS)]
process.exitCode = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1
