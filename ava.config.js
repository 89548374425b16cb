import { relative } from 'node:path'
import { ALONE, CALM } from './scripts/testing/may-start.ts'

// The slowest files start first, or one of them would run alone at the end. Files that need calm come before all others.
const LONGEST = [
  'scripts/unit-tests/part-1.ts',
  'scripts/unit-tests/part-2.ts',
  ...CALM,
  // One after the other, so that the stacks which only they share end soon: tests/_presets.ts.
  'tests/app/notifications.test.ts',
  'tests/app/notices.test.ts',
  'tests/app/alarms.test.ts',
  'tests/app/weekly-summary.test.ts',
  'tests/outgoing-mail/limits.test.ts',
  'tests/outgoing-mail/calendar-answers.test.ts',
  'tests/outgoing-mail/queued-twice.test.ts',
  'tests/event-pipe/partners.test.ts',
  'tests/app/timeline.test.ts',
  'tests/app/export.test.ts',
  'tests/timeline/tool.test.ts',
  'tests/site/whole-stack.test.ts',
  'tests/auth/step-up.test.ts',
  'tests/promises/audit.test.ts',
  'tests/event-pipe/ingest.test.ts',
  'tests/limits/call-limit.test.ts',
  'tests/promises/writes-once.test.ts',
  'tests/app/deletion.test.ts',
  'tests/promises/nothing-lost.test.ts',
  'tests/app/care-circle.test.ts',
  'tests/promises/revocation.test.ts',
  'packages/local-stack/src/start.test.ts',
  'tests/timeline/outages.test.ts',
  'tests/app/writing.test.ts',
  'tests/auth/passkeys.test.ts',
  'tests/cluster/starts-from-manifests.test.ts',
  'tests/site/pages.test.ts',
  'tests/app/inbox.test.ts',
  'tests/inbox-message/mail-corpus.test.ts',
  'tests/outgoing-mail/killed-while-sending.test.ts',
  'tests/outgoing-mail/approved-invitations.test.ts',
  'tests/sandbox/strange-starts.test.ts',
  'tests/mcp-clients/matrix.test.ts',
  'tests/mcp-clients/programs-oauth.test.ts',
  'tests/mcp-clients/conformance.test.ts',
]

function rank(file) {
  const path = relative(import.meta.dirname, file).replaceAll('\\', '/')
  if (ALONE.includes(path)) return LONGEST.length + 1
  const position = LONGEST.indexOf(path)
  return position === -1 ? LONGEST.length : position
}

export default {
  extensions: ['ts'],
  files: ['**/*.test.ts', 'scripts/unit-tests/*.ts', 'scripts/testing/late.ts', '!**/node_modules/**'],
  // Of silence. Each test has a deadline of its own, in scripts/testing/deadlines.ts; this ends a worker that only computes.
  timeout: '6m',
  // The most; scripts/testing/give-turns.ts lets files begin one by one while processors are idle.
  concurrency: 6,
  require: ['./scripts/testing/rules.ts', './scripts/testing/await-turn.ts'],
  sortTestFiles: (a, b) => rank(a) - rank(b) || (a < b ? -1 : 1),
  nodeArguments: ['--disable-warning=ExperimentalWarning'],
}
