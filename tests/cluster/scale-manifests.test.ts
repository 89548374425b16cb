import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { type Built, buildWithComponent, K8S, type Manifest, ofKind, theOnly } from './_manifests.ts'

let scaled: Built
let limited: Built
let plain: Built

test.before('build production with what scales and limits it', async () => {
  ;[scaled, limited, plain] = await Promise.all([
    buildWithComponent('production', 'keda'),
    buildWithComponent('production', 'backup', 'quota'),
    buildWithComponent('production', 'backup'),
  ])
})

test('a service that KEDA scales has no autoscaler of its own, and keeps its bounds, its pace and its target', (t) => {
  const objects = ofKind(scaled, 'ScaledObject')
  t.deepEqual(objects.map(({ metadata }) => metadata.name).sort(), ['care-circle', 'inbox'])
  for (const { metadata, spec } of objects) {
    const { name } = metadata
    t.is(spec.scaleTargetRef.name, name)
    t.false(
      ofKind(scaled, 'HorizontalPodAutoscaler').some(({ spec: { scaleTargetRef } }) => scaleTargetRef.name === name),
    )
    t.is(theOnly(scaled, 'Deployment', name).spec.replicas, undefined)
    const before = theOnly(plain, 'HorizontalPodAutoscaler', name).spec
    t.is(spec.minReplicaCount, before.minReplicas)
    t.is(spec.maxReplicaCount, before.maxReplicas)
    const { horizontalPodAutoscalerConfig } = spec.advanced
    // An autoscaler from before has this name.
    t.deepEqual(horizontalPodAutoscalerConfig, { name, behavior: before.behavior })
    t.is(metadata.annotations?.['scaledobject.keda.sh/transfer-hpa-ownership'], 'true')
    const [{ resource }] = before.metrics
    t.deepEqual(triggersOf(spec, 'cpu'), [{ value: resource.target.averageValue }])
  }
})

test('what KEDA asks Prometheus is about figures that the alarms read, too', async (t) => {
  const rules = await readFile(join(K8S, '../monitoring/rules.yaml'), 'utf8')
  for (const { spec } of ofKind(scaled, 'ScaledObject')) {
    const [{ query }, ...more] = triggersOf(spec, 'prometheus') as [{ query: string }]
    t.deepEqual(more, [])
    const [waiting = '', handled = '', ...others] = query.match(/family_inbox_\w+(\{[^}]*\})?/g) ?? []
    t.deepEqual(others, [])
    for (const name of [waiting, handled.replace(/\{.*/, '')]) t.true(rules.includes(name), name)
    t.is(query, `max(${waiting}) * (sum(rate(${handled}[5m])) > bool 0)`)
  }
})

test('the quota has room for every service at its most replicas, in a rollout, with every job', (t) => {
  const most = ofKind(limited, 'Deployment').map((deployment): [Manifest, number] => {
    const { maxReplicas } = theOnly(limited, 'HorizontalPodAutoscaler', deployment.metadata.name).spec
    return [deployment.spec.template, maxReplicas + deployment.spec.strategy.rollingUpdate.maxSurge]
  })
  const jobs = ofKind(limited, 'CronJob').map(({ spec }): [Manifest, number] => [spec.jobTemplate.spec.template, 1])
  const needed = { pods: 0, 'requests.cpu': 0, 'requests.memory': 0, 'limits.memory': 0 }
  for (const [{ spec }, count] of [...most, ...jobs]) {
    needed.pods += count
    for (const { resources } of spec.containers) {
      needed['requests.cpu'] += count * amount(resources.requests.cpu)
      needed['requests.memory'] += count * amount(resources.requests.memory)
      needed['limits.memory'] += count * amount(resources.limits.memory)
    }
  }
  t.true(needed.pods > 70)
  const { hard } = theOnly(limited, 'ResourceQuota', 'family-inbox').spec
  for (const [name, value] of Object.entries(needed)) {
    t.true(value <= amount(hard[name]), `${name}: ${value} of ${hard[name]}`)
    t.true(value > amount(hard[name]) / 1.5, `${name}: ${hard[name]} is more than it needs, ${value}`)
  }
})

test('no container of ours is larger than the cluster would take', (t) => {
  const [{ max }] = theOnly(limited, 'LimitRange', 'family-inbox').spec.limits
  for (const { containers } of podsOf(limited))
    for (const { resources } of containers)
      for (const kind of ['cpu', 'memory']) t.true(amount(resources.limits[kind]) <= amount(max[kind]))
})

test('services go before jobs, and no pod is without a class', (t) => {
  const classes = new Map(
    ofKind(limited, 'PriorityClass').map((own) => [own.metadata.name, own as Manifest & Priority]),
  )
  const of = (kind: string) =>
    new Set(
      ofKind(limited, kind).map(({ spec }) => (spec.jobTemplate ?? { spec }).spec.template.spec.priorityClassName),
    )
  t.deepEqual([...of('Deployment')], ['family-inbox'])
  t.deepEqual([...of('CronJob')], ['family-inbox-jobs'])
  const [services, jobs] = [classes.get('family-inbox'), classes.get('family-inbox-jobs')]
  t.true((services?.value ?? 0) > 0 && (jobs?.value ?? 0) < 0, 'a pod without a class has 0')
  t.is(jobs?.preemptionPolicy, 'Never')
})

type Priority = { value: number; preemptionPolicy?: string }

function triggersOf(spec: { triggers: { type: string; metadata: object }[] }, type: string): object[] {
  return spec.triggers.filter((trigger) => trigger.type === type).map(({ metadata }) => metadata)
}

// biome-ignore lint/suspicious/noExplicitAny: kubeconform checks its shape
function podsOf(built: Built): any[] {
  const workloads = [...ofKind(built, 'Deployment'), ...ofKind(built, 'CronJob')]
  return workloads.map(({ spec }) => (spec.jobTemplate ?? { spec }).spec.template.spec)
}

const UNITS: Readonly<Record<string, number>> = { m: 0.001, '': 1, Mi: 2 ** 20, Gi: 2 ** 30 }

/** A quantity of Kubernetes as a number. */
function amount(quantity: string): number {
  const [, value, unit = ''] = /^(\d+)(\w*)$/.exec(quantity) ?? []
  return Number(value) * (UNITS[unit] ?? Number.NaN)
}
