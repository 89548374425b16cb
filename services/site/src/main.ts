import { readEnvironment } from '@family-inbox/service-kit/config'
import { run } from '@family-inbox/service-kit/run'
import { environmentToConfig } from './config.ts'
import { startSite } from './service.ts'

await run('site', () => startSite(environmentToConfig(readEnvironment())))
