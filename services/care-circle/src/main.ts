import { readEnvironment } from '@family-inbox/service-kit/config'
import { run } from '@family-inbox/service-kit/run'
import { environmentToConfig } from './config.ts'
import { startCareCircle } from './service.ts'

await run('care-circle', () => startCareCircle(environmentToConfig(readEnvironment())))
