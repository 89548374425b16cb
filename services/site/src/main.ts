import { runService } from '@family-inbox/service-kit/start/run'
import { service } from './service.ts'

await runService(service)
