import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { runOps } from './run-ops.ts'

process.exitCode = await runOps(process.argv.slice(2), {
  env: readEnvironment(),
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
})
