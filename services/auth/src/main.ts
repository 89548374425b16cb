import { runService } from '@family-inbox/service-kit/lifecycle/run'
import { service } from './service.ts'

await runService(service)
