import { relative } from 'node:path'
import { crc32 } from 'node:zlib'

export default {
  extensions: ['ts'],
  files: ['**/*.test.ts', 'scripts/unit-tests/*.ts', 'scripts/testing/late.ts', '!**/node_modules/**'],
  // Of silence. Each test has a deadline of its own, in scripts/testing/deadlines.ts; this ends a worker that only computes.
  timeout: '6m',
  // More than processors: a test waits for services, browsers and expiries for half of its time.
  concurrency: 4,
  // Threads of one process grow it to 1.5 GB, and to start a service it is forked: 25 ms for its page tables alone.
  workerThreads: false,
  require: ['./scripts/testing/rules.ts'],
  // Files with similar paths often wait for the same, so what starts one after another has nothing to do with paths.
  sortTestFiles: (a, b) => turnOf(a) - turnOf(b) || shuffledPlaceOf(a) - shuffledPlaceOf(b),
  nodeArguments: [
    '--disable-warning=ExperimentalWarning',
    // Of the threads that read mail, in KB: their functions are tested here without them.
    '--stack-size=3900',
    // In MB: most workers end before they have used that much, so they collect no garbage.
    '--initial-heap-size=800',
    '--min-semi-space-size=32',
    '--max-semi-space-size=32',
  ],
}

/** Those that compute and those that wait in turns, so that neither runs alone. */
const LONGEST = [
  'alarms/whole-stack.test',
  'threads/worker-pool.test',
  'scripts/unit-tests/',
  'site/pages.test',
  'site/accessibility.test',
  'app/writing.test',
  'site/phone.test',
  'site/looks',
  'promises/crash-points.test',
  'app/write-and-forward.test',
  'tests/operations/',
  'outgoing-mail/write-message.test',
  'app/by-tab-alone.test',
  'outgoing-mail/approved-once.test',
  'promises/gone-is-gone.test',
]

/** Whatever starts last should end soon. */
function turnOf(file) {
  const at = LONGEST.findIndex((path) => file.includes(path))
  return at === -1 ? LONGEST.length : at
}

/** The same on every machine. */
function shuffledPlaceOf(file) {
  return crc32(relative(import.meta.dirname, file))
}
