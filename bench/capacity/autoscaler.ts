import { SERVICES, type Service, type Work } from './costs.ts'
import { CORES_PER_REPLICA, coresFor, type System, TARGET_CORES } from './system.ts'

const SCALE_DOWN_AFTER = 10

export type Replicas = Record<Service, number>

/** The HorizontalPodAutoscaler of the manifests, in steps of a minute: at most twice as many, and one less after ten quiet minutes. */
export function startAutoscaler({ minReplicas, maxReplicas }: Pick<System, 'minReplicas' | 'maxReplicas'>) {
  const [replicas, quiet] = [ofAll(minReplicas), ofAll(0)]
  function next(perSecond: Partial<Record<Work, number>>): void {
    for (const name of SERVICES) {
      const used = Math.min(coresFor(perSecond, name), replicas[name] * CORES_PER_REPLICA)
      const wanted = Math.min(maxReplicas, Math.max(minReplicas, Math.ceil(used / TARGET_CORES)))
      quiet[name] = wanted < replicas[name] ? quiet[name] + 1 : 0
      if (wanted > replicas[name]) replicas[name] = Math.min(wanted, 2 * replicas[name])
      else if (quiet[name] > SCALE_DOWN_AFTER) replicas[name] -= 1
    }
  }
  return { replicas: replicas as Readonly<Replicas>, next }
}

function ofAll(count: number): Replicas {
  return Object.fromEntries(SERVICES.map((name) => [name, count])) as Replicas
}
