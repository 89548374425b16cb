export default {
  extensions: ['ts'],
  files: ['**/*.test.ts', '!**/node_modules/**'],
  timeout: '2m',
  concurrency: 2,
  nodeArguments: ['--disable-warning=ExperimentalWarning'],
}
