import { readEnvironment } from '@family-inbox/service-kit/config'
import { run } from '@family-inbox/service-kit/run'
import { environmentToConfig } from './config.ts'
import { startSandbox } from './service.ts'

await run('sandbox', () => startSandbox(environmentToConfig(readEnvironment())))
