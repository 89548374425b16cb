// Runs services in one process: `node all-services.ts <data folder>`.
import { readFile } from 'node:fs/promises'
import { runServices, type Service } from '@family-inbox/service-kit/start/run'
import { environmentsFile } from './service-processes.ts'
import type { ServiceName } from './services.ts'

const LOAD: Readonly<Record<ServiceName, () => Promise<{ service: Service }>>> = {
  auth: () => import('../../../services/auth/src/service.ts'),
  'care-circle': () => import('../../../services/care-circle/src/service.ts'),
  inbox: () => import('../../../services/inbox/src/service.ts'),
  sandbox: () => import('../../../services/sandbox/src/service.ts'),
  pipe: () => import('../../../services/pipe/src/service.ts'),
  site: () => import('../../../services/site/src/service.ts'),
  gateway: () => import('../../../services/gateway/src/service.ts'),
}

const [dataDir = ''] = process.argv.slice(2)
const environments: Record<string, Record<string, string>> = JSON.parse(
  await readFile(environmentsFile(dataDir), 'utf8'),
)
const services = Object.entries(environments).map(async ([name, env]) => {
  const { service } = await LOAD[name as ServiceName]()
  return { service, env }
})
await runServices('family-inbox', await Promise.all(services))
