import { readEnvironment } from '@family-inbox/service-kit/config'
import { run } from '@family-inbox/service-kit/run'
import { environmentToConfig } from './config.ts'
import { startGateway } from './service.ts'

await run('gateway', () => startGateway(environmentToConfig(readEnvironment())))
