export default {
  extensions: ['ts'],
  files: ['**/*.test.ts', 'scripts/unit-tests/*.ts', 'scripts/testing/late.ts', '!**/node_modules/**'],
  // Of silence. Each test has a deadline of its own, in scripts/testing/deadlines.ts; this ends a worker that only computes.
  timeout: '6m',
  // One more than processors: a test waits for services, browsers and expiries for a part of its time.
  concurrency: 3,
  require: ['./scripts/testing/rules.ts'],
  sortTestFiles: (a, b) => Number(isBundle(b)) - Number(isBundle(a)) || (a < b ? -1 : 1),
  nodeArguments: ['--disable-warning=ExperimentalWarning'],
}

/** Many unit files in one: it takes longer than any other file, so it starts first. */
function isBundle(file) {
  return file.includes('unit-tests')
}
