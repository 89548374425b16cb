import { superviseMongod } from './mongod.ts'
import { keepUsersAt } from './mongod-users.ts'
import { natsServerReady, superviseNatsServer } from './nats-server.ts'
import { EVERYTHING, NATS_RIGHTS, natsUsersConf } from './nats-users.ts'
import { type Plan, pathsOf } from './plan.ts'
import { replicaSetReady } from './replica-set.ts'
import { replicaName } from './replicas.ts'
import { serviceCommands } from './service-processes.ts'
import { type Supervised, supervise, type Watcher } from './supervise.ts'

export type Launched = { readonly processes: ReadonlyMap<string, Supervised>; readonly serversReady: Promise<unknown> }

/** Starts everything at the same time; the services wait for what they need. */
export function launch(plan: Plan, watch: Watcher): Launched {
  const processes = new Map<string, Supervised>()
  const serversReady: Promise<void>[] = []
  if ('path' in plan.mongod) serversReady.push(launchMongods(plan, plan.mongod.path, processes, watch))
  else if (plan.access) serversReady.push(keepUsersAt(plan.mongoUri, Object.values(plan.access.services)))
  if ('path' in plan.natsServer) serversReady.push(launchNatsServers(plan, plan.natsServer.path, processes, watch))
  for (const command of serviceCommands(plan)) processes.set(command.name, supervise(command, watch))
  return { processes, serversReady: Promise.all(serversReady) }
}

type Processes = Map<string, Supervised>

function launchMongods(plan: Plan, binary: string, processes: Processes, watch: Watcher): Promise<void> {
  const members = plan.mongod.ports.map(({ port, reachedAt }, nth) => {
    const name = replicaName('mongod', nth)
    const options = {
      ...pathsOf(plan, name),
      name,
      binary,
      port,
      watch,
      cacheSizeGb: plan.mongodCacheGb,
      access: plan.access,
    }
    const process = superviseMongod(options)
    processes.set(name, process)
    return { process, port, reachedAt }
  })
  return replicaSetReady(members, plan.access)
}

async function launchNatsServers(plan: Plan, binary: string, processes: Processes, watch: Watcher): Promise<void> {
  const { ports, routes } = plan.natsServer
  const users = natsUsersConf(plan.keys.publicKeys.keys, { ...NATS_RIGHTS, ops: EVERYTHING })
  const ready = ports.map(({ port }, nth) => {
    const name = replicaName('nats-server', nth)
    const own = routes[nth]
    const others = routes.filter((route) => route !== own).map(({ reachedAt }) => reachedAt)
    const cluster = own && { port: own.port, routes: others }
    const process = superviseNatsServer({ ...pathsOf(plan, name), name, binary, port, users, cluster, watch })
    processes.set(name, process)
    return natsServerReady(process, port)
  })
  await Promise.all(ready)
}
