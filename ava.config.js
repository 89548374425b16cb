import { relative } from 'node:path'

// The slowest files start first, or one of them would run alone at the end.
const LONGEST = [
  'tests/cluster/rolling-restart.test.ts', // before the browsers start, because no call may fail
  'tests/cluster/key-rotation.test.ts',
  'tests/app/notifications.test.ts',
  'tests/site/pages.test.ts',
  'tests/cluster/stores-fail.test.ts', // with stores of its own, after the calls that may not fail
  'tests/app/deletion.test.ts',
  'tests/app/care-circle.test.ts',
  'tests/event-pipe/nothing-lost.test.ts',
  'tests/timeline/outages.test.ts',
  'packages/local-stack/src/start.test.ts',
  'tests/inbox-message/mail-corpus.test.ts',
  'tests/inbox/smtp-delivery.test.ts',
  'tests/inbox/smtp-limits.test.ts',
  'tests/promises/nothing-lost.test.ts',
  'tests/promises/any-bytes.test.ts',
  'tests/promises/revocation.test.ts',
  'tests/promises/writes-once.test.ts',
  'tests/promises/stores-away.test.ts',
  'tests/outgoing-mail/killed-while-sending.test.ts',
  'tests/sandbox/strange-starts.test.ts',
  'tests/app/inbox.test.ts',
]

function rank(file) {
  const position = LONGEST.indexOf(relative(import.meta.dirname, file).replaceAll('\\', '/'))
  return position === -1 ? LONGEST.length : position
}

export default {
  extensions: ['ts'],
  files: ['**/*.test.ts', '!**/node_modules/**'],
  timeout: '2m',
  concurrency: 2,
  sortTestFiles: (a, b) => rank(a) - rank(b) || (a < b ? -1 : 1),
  nodeArguments: ['--disable-warning=ExperimentalWarning'],
}
