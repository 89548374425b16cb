import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plan } from './plan.ts'
import { environmentOfReplica, parseReplicaName, replicaName } from './replicas.ts'
import { entryOf, environmentOf, processEnvironment, REPOSITORY, type Service, sharesProcess } from './services.ts'
import { ALL_SERVICES } from './stack-file.ts'
import type { Command } from './supervise.ts'

// Compiling modules is most of a service's startup time; this saves it on the next start.
const NODE_COMPILE_CACHE = join(REPOSITORY, 'node_modules/.cache/node-compile')

export function processOf(plan: Plan, name: string): string {
  return sharesProcess(plan, name) && plan.services.some((service) => service.name === name) ? ALL_SERVICES : name
}

/** The processes that run the services: one for each, or one that several share. */
export function serviceCommands(plan: Plan): Command[] {
  const together = plan.services.filter(({ name }) => sharesProcess(plan, name))
  const separate = plan.services
    .filter((service) => !together.includes(service))
    .flatMap((service) => plan.replicas.map((_, nth) => commandOf(service, plan, nth)))
  return together.length === 0 ? separate : [sharedCommand(together, plan), ...separate]
}

function sharedCommand(services: readonly Service[], plan: Plan): Command {
  const { dataDir } = plan.config
  const environments = services.map((service) => [
    service.name,
    { ...environmentOf(service, plan), ...plan.serviceEnv },
  ])
  writeFileSync(environmentsFile(dataDir), JSON.stringify(Object.fromEntries(environments)), { mode: 0o600 })
  const env = { NODE_COMPILE_CACHE, ...processEnvironment(plan.env), ...plan.serviceEnv }
  return nodeCommand(plan, ALL_SERVICES, env)
}

/** Holds the secrets of every service. */
export function environmentsFile(dataDir: string): string {
  return join(dataDir, 'secrets', 'environments.json')
}

export function scriptOf({ services }: Plan, process: string): string | undefined {
  if (process === ALL_SERVICES) return join(import.meta.dirname, 'all-services.ts')
  const { base } = parseReplicaName(process)
  const service = services.find(({ name }) => name === base)
  return service && entryOf(service)
}

function commandOf(service: Service, plan: Plan, nth: number): Command {
  const env = { NODE_COMPILE_CACHE, ...environmentOfReplica(service, plan, nth), ...plan.serviceEnv }
  return nodeCommand(plan, replicaName(service.name, nth), env)
}

/** The data folder tells two stacks apart in `ps`. */
function nodeCommand(plan: Plan, name: string, env: NodeJS.ProcessEnv): Command {
  const { dataDir } = plan.config
  const args = [...developmentFlags(plan.inspectorPorts[name]), scriptOf(plan, name) ?? '', dataDir]
  return { name, file: process.execPath, args, env, logFile: join(dataDir, 'logs', `${name}.log`) }
}

function developmentFlags(inspectorPort: number | undefined): string[] {
  if (inspectorPort === undefined) return []
  return ['--watch', '--watch-preserve-output', `--inspect=127.0.0.1:${inspectorPort}`]
}
