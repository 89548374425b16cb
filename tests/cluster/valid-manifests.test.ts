import { spawn } from 'node:child_process'
import { TLS_STEPS } from '@family-inbox/service-kit/config/tls-step'
import { BackendTLSPolicy, Gateway, HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1'
import test from 'ava'
import {
  type Built,
  buildOverlays,
  buildWithComponent,
  clusterTools,
  type Manifest,
  ofKind,
  theOnly,
} from './_manifests.ts'
import { isSelected } from './_network.ts'
import { schemasFor } from './_schemas.ts'
import { KUBERNETES_VERSIONS } from './_tools.ts'

let builds: Built[] = []
/** Of each version of Kubernetes. */
const schemas = new Map<string, Awaited<ReturnType<typeof schemasFor>>>()

test.before('build every overlay', async () => {
  const names = [
    'gateway-api',
    'traces',
    'node-local-dns',
    'openshift-dns',
    'prometheus-operator',
    'backup',
    'backup-s3',
    'admission',
    'keda',
    'quota',
  ]
  const components = names.map((component) => buildWithComponent('production', component))
  components.push(buildWithComponent('local', 'tls'))
  for (const step of TLS_STEPS) components.push(buildWithComponent('local', 'tls', `tls-${step}`))
  builds = [...(await buildOverlays()), ...(await Promise.all(components))]
  const manifests = builds.flatMap((built) => built.manifests)
  for (const version of KUBERNETES_VERSIONS) schemas.set(version, await schemasFor(manifests, version))
})
test.after.always(async () => {
  for (const folder of schemas.values()) await folder[Symbol.asyncDispose]()
})

test('Kubernetes would accept every field of every overlay', async (t) => {
  const all = builds.map(({ text }) => text).join('\n---\n')
  const count = builds.flatMap(({ manifests }) => manifests).length
  for (const version of KUBERNETES_VERSIONS) {
    const { code, output } = await conform(all, version)
    t.is(code, 0, `Kubernetes ${version}: ${output}`)
    t.regex(output, new RegExp(`Valid: ${count}, Invalid: 0, Errors: 0, Skipped: 0`))
  }
})

test('an unknown field or a port that is not a number would be found', async (t) => {
  const [built] = builds
  if (!built) return t.fail()
  const misspelt = built.text.replace('revisionHistoryLimit:', 'revisionHistoryLimits:')
  t.regex((await conform(misspelt, KUBERNETES_VERSIONS[0])).output, /additional properties 'revisionHistoryLimits'/)
  const quoted = built.text.replace('containerPort: 50051', 'containerPort: "50051"')
  t.regex((await conform(quoted, KUBERNETES_VERSIONS[0])).output, /containerPort': got string, want integer/)
})

test('the component’s objects match the Gateway API’s types', async (t) => {
  const built = builds.find(({ name }) => name.endsWith('gateway-api'))
  if (!built) return t.fail()
  t.is(ofKind(built, 'Ingress').length, 0, 'the component replaces the Ingress')
  const types = { BackendTLSPolicy, Gateway, HTTPRoute }
  for (const [kind, Type] of Object.entries(types)) {
    const [manifest, ...more] = ofKind(built, kind)
    t.is(more.length, 0)
    t.notThrows(() => new Type(manifest as never).validate(), kind)
  }
  t.throws(() => new Gateway({ metadata: {}, spec: { listeners: [] } } as never).validate())
})

test('kube-score finds nothing except what is ignored with a reason', async (t) => {
  for (const built of builds) {
    const { code, output } = await score(built)
    t.is(code, 0, `${built.name}:\n${findings(output).join('\n')}`)
  }
})

test('every ignored check has a reason and would otherwise fail', async (t) => {
  for (const built of builds) {
    const ignoring = built.manifests.filter(({ metadata }) => metadata.annotations?.['kube-score/ignore'])
    t.true(ignoring.length > 0)
    for (const { metadata } of ignoring) {
      t.true((metadata.annotations?.['family-inbox/ignored-because'] ?? '').length > 20, metadata.name)
    }
    const { output } = await score(built, '--disable-ignore-checks-annotations')
    const found = new Set(failedChecks(output))
    const ignored = ignoring.flatMap((manifest) =>
      checksOf(manifest).map((check) => `${manifest.metadata.name} ${check}`),
    )
    t.deepEqual([...found].sort(), [...new Set(ignored)].sort(), built.name)
  }
})

test('no container waits in postStart for its own pod’s name before a kubelet has published the address', (t) => {
  for (const built of builds) {
    for (const workload of workloadsOf(built)) {
      const { containers, initContainers = [] } = workload.spec.template.spec
      const names = servicesOf(built, workload).map(({ metadata }) => metadata.name)
      const hooks = JSON.stringify(containers.map(({ lifecycle }: Container) => lifecycle?.postStart ?? {}))
      if (!names.some((name) => hooks.includes(name))) continue
      const ends = initContainers.filter(({ restartPolicy }: Container) => restartPolicy !== 'Always')
      t.true(ends.length > 0, `${built.name}: ${workload.metadata.name} starts only after an init container`)
    }
  }
})

test('a store restarts without the registry', (t) => {
  for (const built of builds)
    for (const { metadata, spec } of ofKind(built, 'StatefulSet')) {
      const { containers, initContainers = [] } = spec.template.spec
      for (const { image, imagePullPolicy } of [...containers, ...initContainers]) {
        t.is(imagePullPolicy, 'IfNotPresent', `${built.name}: ${metadata.name}`)
        t.regex(image, /:v?\d+\.\d+\.\d+(-alpine)?$|@sha256:/, 'an image that does not change')
      }
    }
})

test('pods are spread only over nodes on which they may run', (t) => {
  for (const built of builds) {
    for (const { metadata, spec } of workloadsOf(built)) {
      const policies = (spec.template.spec.topologySpreadConstraints ?? []).map(
        ({ nodeTaintsPolicy }: { nodeTaintsPolicy?: string }) => nodeTaintsPolicy,
      )
      t.true(
        policies.every((policy: string) => policy === 'Honor'),
        `${built.name}: ${metadata.name}`,
      )
      t.is(policies.length > 0, built.name.startsWith('production'), `${built.name}: ${metadata.name}`)
    }
  }
})

test('behind a headless Service, an old pod stops only when no DNS cache lacks the new one', (t) => {
  for (const built of builds) {
    const headless = workloadsOf(built).filter((workload) =>
      servicesOf(built, workload).some(({ spec }) => spec.clusterIP === 'None'),
    )
    t.true(headless.length > 0)
    for (const { metadata, spec } of headless)
      t.true(spec.minReadySeconds >= KNOWN_SEC, `${built.name}: ${metadata.name}`)
  }
})

test('a replica is added before one core is full, not for a short burst, and removed one at a time', (t) => {
  for (const built of builds) {
    const autoscalers = ofKind(built, 'HorizontalPodAutoscaler')
    t.is(autoscalers.length > 0, built.name.startsWith('production'))
    for (const { metadata, spec } of autoscalers) {
      const where = `${built.name}: ${metadata.name}`
      const [{ resource }] = spec.metrics
      t.is(resource.target.type, 'AverageValue', where)
      const { requests } = theOnly(built, 'Deployment', metadata.name).spec.template.spec.containers[0].resources
      t.true(millicores(requests.cpu) < millicores(resource.target.averageValue), where)
      t.true(millicores(resource.target.averageValue) < 700, 'JavaScript runs on one core')
      const { scaleUp, scaleDown } = spec.behavior
      t.true(scaleUp.stabilizationWindowSeconds >= 30, where)
      t.true(scaleDown.stabilizationWindowSeconds >= 300, where)
      t.is(scaleDown.policies.length, 1)
      t.like(scaleDown.policies[0], { type: 'Pods', value: 1 })
      t.true(scaleDown.policies[0].periodSeconds >= KNOWN_SEC, where)
    }
  }
})

test('no network policy has an empty list of rules, which a cluster does not store', (t) => {
  for (const built of builds)
    for (const { metadata, spec } of ofKind(built, 'NetworkPolicy'))
      for (const direction of ['ingress', 'egress'])
        t.not(spec[direction]?.length, 0, `${built.name}: ${direction} of ${metadata.name}`)
})

test('where the gateway serves HTTPS, Traefik uses it and trusts the authority that signed its certificate', (t) => {
  const encrypted = builds.filter((built) =>
    JSON.stringify(theOnly(built, 'Deployment', 'gateway')).includes('HTTP_TLS_DIR'),
  )
  t.is(encrypted.length, builds.length - 1, 'all but the plain local one')
  for (const built of encrypted) {
    const { annotations = {} } = theOnly(built, 'Service', 'gateway').metadata
    const isIntroduced = built.name.endsWith('tls-introduce')
    t.is(annotations[`${TRAEFIK}/service.serversscheme`], isIntroduced ? 'http' : 'https', built.name)
    if (!built.name.startsWith('production') || ofKind(built, 'Ingress').length === 0) continue
    const { metadata, spec } = theOnly(built, 'ServersTransport', 'gateway')
    const reference = `${metadata.namespace}-${metadata.name}@kubernetescrd`
    t.is(annotations[`${TRAEFIK}/service.serverstransport`], reference, built.name)
    const { secretName, dnsNames } = theOnly(built, 'Certificate', 'gateway-https').spec
    t.deepEqual(spec.rootCAs, [{ secret: secretName }])
    t.true(dnsNames.includes(spec.serverName))
  }
})

test('through the Gateway API, HTTPS continues to the gateway, with our authority and its name', (t) => {
  const routed = builds.filter((built) => ofKind(built, 'HTTPRoute').length > 0)
  t.is(routed.length, 1)
  for (const built of routed) {
    const [{ name }] = theOnly(built, 'HTTPRoute', 'gateway').spec.rules[0].backendRefs
    const { targetRefs, validation } = theOnly(built, 'BackendTLSPolicy', 'gateway').spec
    t.deepEqual(targetRefs, [{ group: '', kind: 'Service', name }])
    const { secretName, dnsNames } = theOnly(built, 'Certificate', 'gateway-https').spec
    t.true(dnsNames.includes(validation.hostname))
    t.deepEqual(validation.caCertificateRefs, [{ group: '', kind: 'ConfigMap', name: `${secretName}-ca` }])
    t.deepEqual(ofKind(built, 'ServersTransport'), [], 'a cluster without Traefik does not know this kind')
  }
})

/** CoreDNS keeps an answer for 30 s, and learns of a new pod a moment after it is ready. */
const KNOWN_SEC = 35
const TRAEFIK = 'traefik.ingress.kubernetes.io'

function millicores(quantity: string): number {
  return quantity.endsWith('m') ? Number.parseInt(quantity, 10) : Number(quantity) * 1000
}

type Container = { lifecycle?: { postStart?: object }; restartPolicy?: string }

function workloadsOf(built: Built): Manifest[] {
  return [...ofKind(built, 'Deployment'), ...ofKind(built, 'StatefulSet')]
}

/** The Services that select a workload's pods. */
function servicesOf(built: Built, { spec }: Manifest): Manifest[] {
  const { labels } = spec.template.metadata
  return ofKind(built, 'Service').filter((service) => isSelected({ matchLabels: service.spec.selector }, labels))
}

async function conform(text: string, version: string) {
  const { kubeconform } = await clusterTools()
  const location = String(schemas.get(version)?.location)
  return feed(kubeconform, ['-strict', '-summary', '-schema-location', location], text)
}

const STRICT = ['container-seccomp-profile', 'container-ports-check'].flatMap((id) => ['--enable-optional-test', id])

async function score({ text }: Built, ...options: string[]) {
  const { kubeScore } = await clusterTools()
  const args = ['score', '--exit-one-on-warning', '--kubernetes-version', `v${KUBERNETES_VERSIONS[0]}`, ...STRICT]
  return feed(kubeScore, [...args, '--output-format', 'json', ...options, '-'], text)
}

type Scored = {
  object_name: string
  object_meta: { name: string }
  checks: { check: { id: string }; grade: number; skipped: boolean }[]
}

const GOOD = 10

function failing(output: string) {
  return (JSON.parse(output) as Scored[]).flatMap(({ object_name, object_meta, checks }) =>
    checks
      .filter(({ grade, skipped }) => !skipped && grade < GOOD)
      .map(({ check }) => ({ object: object_name, name: object_meta.name, id: check.id })),
  )
}

function findings(output: string): string[] {
  return failing(output).map(({ object, id }) => `${object}: ${id}`)
}

function failedChecks(output: string): string[] {
  return failing(output).map(({ name, id }) => `${name} ${id}`)
}

function checksOf({ metadata }: Manifest): string[] {
  return (metadata.annotations?.['kube-score/ignore'] ?? '').split(',')
}

function feed(file: string, args: string[], input: string): Promise<{ code: number | null; output: string }> {
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  return new Promise((resolve, reject) => {
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
    child.stdin.end(input)
  })
}
