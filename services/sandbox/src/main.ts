import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { run } from '@family-inbox/service-kit/lifecycle/run'
import { environmentToConfig } from './config.ts'
import { startSandbox } from './service.ts'

await run('sandbox', () => startSandbox(environmentToConfig(readEnvironment())))
