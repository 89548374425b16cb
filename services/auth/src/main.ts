import { readEnvironment } from '@family-inbox/service-kit/config'
import { run } from '@family-inbox/service-kit/run'
import { environmentToConfig } from './config.ts'
import { startAuth } from './service.ts'

await run('auth', () => startAuth(environmentToConfig(readEnvironment())))
