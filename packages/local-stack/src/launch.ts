import { mongodReady, superviseMongod } from './mongod.ts'
import { natsServerReady, superviseNatsServer } from './nats-server.ts'
import { EVERYTHING, NATS_RIGHTS, natsUsersConf } from './nats-users.ts'
import { type Plan, pathsOf } from './plan.ts'
import { serviceCommands } from './service-processes.ts'
import { type Supervised, supervise, type Watcher } from './supervise.ts'

export type Launched = { readonly processes: ReadonlyMap<string, Supervised>; readonly serversReady: Promise<unknown> }

/** Starts everything at the same time; the services wait for what they need. */
export function launch(plan: Plan, watch: Watcher): Launched {
  const processes = new Map<string, Supervised>()
  const serversReady: Promise<void>[] = []
  if ('path' in plan.mongod) {
    const { path: binary, port } = plan.mongod
    const process = superviseMongod({
      ...pathsOf(plan, 'mongod'),
      binary,
      port,
      watch,
      cacheSizeGb: plan.mongodCacheGb,
    })
    processes.set('mongod', process)
    serversReady.push(mongodReady(process, port))
  }
  if ('path' in plan.natsServer) {
    const { path: binary, port } = plan.natsServer
    const users = natsUsersConf(plan.keys.publicKeys.keys, { ...NATS_RIGHTS, ops: EVERYTHING })
    const process = superviseNatsServer({ ...pathsOf(plan, 'nats-server'), binary, port, users, watch })
    processes.set('nats-server', process)
    serversReady.push(natsServerReady(process, port))
  }
  for (const command of serviceCommands(plan)) processes.set(command.name, supervise(command, watch))
  return { processes, serversReady: Promise.all(serversReady) }
}
