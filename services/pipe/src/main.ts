import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { run } from '@family-inbox/service-kit/lifecycle/run'
import { environmentToConfig } from './config.ts'
import { startPipe } from './service.ts'

await run('pipe', () => startPipe(environmentToConfig(readEnvironment())))
