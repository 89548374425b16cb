import { readEnvironment } from '@family-inbox/service-kit/config'
import { run } from '@family-inbox/service-kit/run'
import { environmentToConfig } from './config.ts'
import { startPipe } from './service.ts'

await run('pipe', () => startPipe(environmentToConfig(readEnvironment())))
