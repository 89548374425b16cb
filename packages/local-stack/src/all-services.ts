// Runs services in one process: `node all-services.ts <data folder>`.
import { readFile } from 'node:fs/promises'
import { type ResolveFnOutput, registerHooks } from 'node:module'
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
resolveQuickly()
const services = Object.entries(environments).map(async ([name, env]) => {
  const { service } = await LOAD[name as ServiceName]()
  return { service, env }
})
await runServices('family-inbox', await Promise.all(services))

/**
 * Node.js looks at the disk for each of eight thousand imports: whether the file is there, where links lead, and what the next package.json
 * says. Without that, loading the services takes a fifth less of a processor.
 */
function resolveQuickly(): void {
  const found = new Map<string, ResolveFnOutput>()
  registerHooks({
    resolve(specifier, context, resolve) {
      const { parentURL = '' } = context
      if (!parentURL.endsWith('.ts')) return resolve(specifier, context)
      // An import of ours names the file itself, and no file is a link.
      if (/^\.\.?\/.*\.ts$/.test(specifier))
        return { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true }
      const [packageFolder] = parentURL.split('/src/')
      const key = `${packageFolder} ${specifier}`
      const known = found.get(key) ?? { ...resolve(specifier, context), shortCircuit: true }
      found.set(key, known)
      return known
    },
  })
}
