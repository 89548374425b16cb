import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeKeys } from '@family-inbox/deploy/key-folder'
import { ConfigError } from '@family-inbox/service-kit/config/config'
import { GRACE_MS } from '@family-inbox/service-kit/start/run'
import test from 'ava'
import { type CodeOf, codeOfServices, hasCode, read } from './_code.ts'
import { type Environment, environmentOf } from './_environment.ts'
import { type Built, buildOverlays, buildWithComponent, type Manifest, ofKind, theOnly } from './_manifests.ts'
import { isAllowed, isSelected, type Pod, podsOf } from './_network.ts'

const PORT_SETTINGS: Record<string, string> = {
  GRPC_PORT: 'grpc',
  HTTP_PORT: 'http',
  PORT: 'http',
  SMTP_PORT: 'smtp',
  METRICS_PORT: 'metrics',
}

let builds: Built[] = []
let code = new Map<string, CodeOf>()
let keys = ''

test.before('every overlay is built', async () => {
  const names = ['gateway-api', 'traces', 'node-local-dns', 'openshift-dns', 'prometheus-operator']
  const components = names.map((component) => buildWithComponent('production', component))
  components.push(buildWithComponent('local', 'tls'))
  builds = [...(await buildOverlays()), ...(await Promise.all(components))]
  code = codeOfServices()
  keys = await mkdtemp(join(tmpdir(), 'family-inbox-keys-'))
  const mongodbUri = 'mongodb://mongod-0.mongod:27017/?replicaSet=rs0'
  await makeKeys(keys, { mongodbUri, smtpUrl: 'smtps://user:password@mail.example.org' })
})

test.after.always('remove the keys', () => rm(keys, { recursive: true, force: true }))

/** Each service of each overlay. */
function* everyService(): Generator<{ built: Built; service: CodeOf; deployment: Manifest; environment: Environment }> {
  for (const built of builds) {
    for (const service of code.values()) {
      const deployment = theOnly(built, 'Deployment', service.name)
      yield { built, service, deployment, environment: environmentOf(built, deployment) }
    }
  }
}

test('every service has manifests, and all manifests have a service', (t) => {
  for (const built of builds) {
    const deployed = ofKind(built, 'Deployment').map(({ metadata }) => metadata.name)
    t.deepEqual(deployed.filter(hasCode).sort(), [...code.keys()].sort(), built.name)
  }
})

test('every variable is a setting of its service, set once, and no required one is missing', (t) => {
  for (const { built, service, environment } of everyService()) {
    const where = `${built.name}: ${service.name}`
    for (const { setting } of environment) {
      t.true(setting in service.settings.shape || isForNoCode(setting), `${where} reads no ${setting}`)
    }
    const given = environment.map(({ setting }) => setting)
    t.deepEqual(given, [...new Set(given)], where)
    for (const setting of Object.keys(service.settings.shape).filter(service.isRequired)) {
      t.true(given.includes(setting), `${where} is not given ${setting}`)
    }
  }
})

test('exactly the secrets come from files of the service’s own Secret', (t) => {
  for (const { built, service, environment } of everyService()) {
    for (const { setting, from } of environment.filter((given) => given.setting in service.settings.shape)) {
      const where = `${built.name}: ${service.name} ${setting}`
      if (service.isSecret(setting)) t.deepEqual(from, { secret: service.name, key: setting }, where)
      else t.false('secret' in from, where)
      if (setting === 'SERVICE_KEYS') t.deepEqual(from, { configMap: 'service-keys', key: setting }, where)
    }
  }
})

test('npm run keys creates what the Secrets need, and every service accepts its settings', async (t) => {
  for (const { built, service, environment } of everyService()) {
    const env: Record<string, string> = {}
    for (const { setting, from, value } of environment) {
      const file = 'secret' in from ? join(keys, from.secret, from.key) : join(keys, 'service-keys', setting)
      env[setting] = value ?? (await readFile(file, 'utf8'))
    }
    const { environmentToConfig } = await import(`../../services/${service.name}/src/config.ts`)
    t.notThrows(() => environmentToConfig(env), `${built.name}: ${service.name}`)
    t.throws(() => environmentToConfig({}), { instanceOf: ConfigError })
  }
  const made = (await readdir(keys)).filter((name) => name !== 'service-keys' && name !== 'ops')
  t.true([...code.keys()].every((name) => made.includes(name)))
})

test('every port is one the service serves, and every probe uses one of them', (t) => {
  for (const { built, service, deployment, environment } of everyService()) {
    const where = `${built.name}: ${service.name}`
    const container = containerOf(deployment)
    const served = portsServed(service, environment)
    const named = Object.fromEntries(container.ports.map((port: Port) => [port.name, port.containerPort]))
    t.deepEqual(named, served, where)
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      const { httpGet } = container[probe]
      t.is(named[httpGet?.port], served.grpc ? served.metrics : served.http, `${where} ${probe}`)
    }
    if (service.name !== 'gateway') t.is(container.readinessProbe.httpGet.path, '/readyz', where)
    for (const probe of ['startupProbe', 'livenessProbe']) t.is(container[probe].httpGet.path, '/livez', where)
  }
})

test('with TLS each service has its own certificate, and the gateway serves HTTPS', (t) => {
  const encrypted = builds.filter(({ name }) => name.startsWith('production') || name.endsWith('with tls'))
  t.is(encrypted.length, builds.length - 1, 'all but the plain local one')
  for (const built of encrypted) {
    for (const service of code.values())
      t.is(secretNamed(built, service.name, 'GRPC_TLS_DIR'), `${service.name}-tls`, built.name)
    t.is(secretNamed(built, 'gateway', 'HTTP_TLS_DIR'), 'gateway-https')
    for (const name of ['gateway', 'site'])
      for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
        t.is(containerOf(theOnly(built, 'Deployment', name))[probe].httpGet.scheme, 'HTTPS')
    t.is(theOnly(built, 'Service', 'gateway').spec.ports[0].appProtocol, 'https')
    const inTheClear = ofKind(built, 'Service').filter(({ spec }) => spec.ports[0].appProtocol === 'kubernetes.io/h2c')
    t.deepEqual(inTheClear, [])
  }
  const docs = read('docs/operations.md')
  for (const name of ['components/tls', 'gateway-https', '-tls']) t.true(docs.includes(name), name)
})

test('in production, connections to MongoDB, NATS and mail servers use TLS', (t) => {
  for (const built of builds.filter(({ name }) => name.startsWith('production'))) {
    for (const { name } of [...code.values()].filter(({ usesMongo }) => usesMongo))
      t.is(secretNamed(built, name, 'MONGODB_TLS_DIR'), 'mongodb-ca', name)
    for (const { name } of [...code.values()].filter(({ usesNats }) => usesNats))
      t.is(secretNamed(built, name, 'NATS_TLS_DIR'), 'nats-ca', name)
    const { NATS_URL = '' } = theOnly(built, 'ConfigMap', 'settings').data ?? {}
    t.true(NATS_URL.split(',').every((server) => server.startsWith('tls://')))
    t.is(secretNamed(built, 'inbox', 'SMTP_TLS_DIR'), 'inbox-smtp-tls')
  }
})

test('in production, the operator command has a certificate that services accept, and that serves nothing', (t) => {
  for (const built of builds.filter(({ name }) => name.startsWith('production'))) {
    const { secretName, usages, issuerRef } = theOnly(built, 'Certificate', 'ops-tls').spec
    t.deepEqual(usages, ['client auth'])
    t.deepEqual(issuerRef, theOnly(built, 'Certificate', 'auth-tls').spec.issuerRef)
    t.true(read('docs/operations.md').includes(`get secret ${secretName}`))
  }
})

test('in production, cert-manager issues every pod’s certificate, for the name others call it by', (t) => {
  for (const built of builds.filter(({ name }) => name.startsWith('production'))) {
    const certificates = ofKind(built, 'Certificate').map(({ spec }) => spec)
    const issuers = ofKind(built, 'Issuer').map(({ metadata }) => metadata.name)
    const shown = [...code.keys()].flatMap((name) =>
      ['GRPC_TLS_DIR', 'HTTP_TLS_DIR', 'SMTP_TLS_DIR'].flatMap((setting) => secretNamed(built, name, setting) ?? []),
    )
    t.is(shown.length, code.size + 2)
    for (const secret of shown) t.is(certificates.filter(({ secretName }) => secretName === secret).length, 1, secret)
    for (const { issuerRef } of certificates)
      t.true(issuerRef.kind === 'ClusterIssuer' || issuers.includes(issuerRef.name), issuerRef.name)
    for (const { service, environment } of [...everyService()].filter((each) => each.built === built)) {
      for (const { setting, service: callee } of service.calls) {
        const [, host = ''] = environment.find((given) => given.setting === setting)?.value?.match(/\/([a-z-]+):/) ?? []
        const certificate = certificates.find(({ secretName }) => secretName === `${callee}-tls`)
        t.true(certificate?.dnsNames.includes(host), `${callee} is called ${host}`)
        t.true(certificate?.usages.includes('server auth') && certificate?.usages.includes('client auth'))
      }
    }
  }
})

test('every address a service dials is a Service whose pods serve that port; gRPC ones are headless', (t) => {
  for (const { built, service, environment } of everyService()) {
    for (const { setting, service: callee, port } of service.calls) {
      const where = `${built.name}: ${service.name} ${setting}`
      const value = environment.find((given) => given.setting === setting)?.value ?? ''
      const [, scheme, host = '', number] = value.match(/^(dns:\/\/\/|https?:\/\/)([a-z-]+):(\d+)$/) ?? []
      const byHttp = isTls(environment) ? 'https://' : 'http://'
      t.is(scheme, port === 'grpc' ? 'dns:///' : byHttp, where)
      const target = theOnly(built, 'Service', host)
      t.is(target.spec.clusterIP === 'None', port === 'grpc', `${where}: clients must see every replica of gRPC`)
      const entry = target.spec.ports.find((candidate: { port: number }) => candidate.port === Number(number))
      t.is(entry?.targetPort, port, where)
      const selected = podsOf(built).filter((pod) => isSelected({ matchLabels: target.spec.selector }, pod.labels))
      t.deepEqual(
        selected.map(({ name }) => name),
        [callee],
        where,
      )
      // A headless Service does not translate ports.
      if (port === 'grpc') t.is(portNamed(theOnly(built, 'Deployment', callee), 'grpc'), Number(number), where)
    }
  }
})

test('every Service selects one workload and one of its ports', (t) => {
  for (const built of builds) {
    for (const { metadata, spec } of ofKind(built, 'Service')) {
      const selected = podsOf(built).filter(({ labels }) => isSelected({ matchLabels: spec.selector }, labels))
      t.is(selected.length, 1, `${built.name}: Service ${metadata.name}`)
      const ports = portsOf(built, selected[0]?.name ?? '').map(({ name }) => name)
      for (const { targetPort } of spec.ports) t.true(ports.includes(targetPort), `${metadata.name} ${targetPort}`)
    }
  }
})

test('every selector, account and autoscaler refers to an existing workload', (t) => {
  for (const built of builds) {
    for (const { metadata, spec } of [...ofKind(built, 'PodDisruptionBudget'), ...ofKind(built, 'NetworkPolicy')]) {
      const selected = podsOf(built).filter(({ labels }) => isSelected(spec.selector ?? spec.podSelector, labels))
      t.true(selected.length > 0, `${built.name}: ${metadata.name}`)
    }
    for (const { spec } of ofKind(built, 'HorizontalPodAutoscaler')) {
      const target = theOnly(built, 'Deployment', spec.scaleTargetRef.name)
      t.is(target.spec.replicas, undefined, 'what an autoscaler decides is not said twice')
    }
    for (const { metadata, spec } of ofKind(built, 'Deployment')) {
      t.deepEqual(spec.selector.matchLabels, { 'app.kubernetes.io/name': metadata.name })
      t.is(theOnly(built, 'ServiceAccount', spec.template.spec.serviceAccountName).metadata.name, metadata.name)
    }
  }
})

test('in production each service has at least two replicas across zones, and messages are on three NATS servers', (t) => {
  for (const built of builds.filter(({ name }) => name.startsWith('production'))) {
    for (const { metadata, spec } of ofKind(built, 'Deployment')) {
      t.true(theOnly(built, 'HorizontalPodAutoscaler', metadata.name).spec.minReplicas >= 2)
      t.is(theOnly(built, 'PodDisruptionBudget', metadata.name).spec.maxUnavailable, 1)
      const [spread] = spec.template.spec.topologySpreadConstraints
      t.like(spread, { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' })
      t.true(isSelected(spread.labelSelector, spec.template.metadata.labels))
      t.true(spread.matchLabelKeys.includes('app.kubernetes.io/name'), 'each service is spread separately')
    }
    const { data } = theOnly(built, 'ConfigMap', 'settings')
    t.is(data?.NATS_REPLICAS, '3')
    t.is(data?.NATS_URL?.split(',').length, 3)
  }
})

test('a pod’s grace period exceeds its service’s', (t) => {
  for (const { built, service, deployment } of everyService()) {
    const { terminationGracePeriodSeconds: grace } = deployment.spec.template.spec
    const { seconds } = containerOf(deployment).lifecycle.preStop.sleep
    t.true(seconds >= 5, 'endpoints need time to propagate')
    t.true(grace >= seconds + GRACE_MS / 1000 + 2, `${built.name}: ${service.name}`)
  }
})

test('every pod meets the restricted Pod Security Standard, with a read-only root file system', (t) => {
  for (const built of builds) {
    t.is(
      theOnly(built, 'Namespace', 'family-inbox').metadata.labels?.['pod-security.kubernetes.io/enforce'],
      'restricted',
    )
    for (const { metadata, spec } of [...ofKind(built, 'Deployment'), ...ofKind(built, 'StatefulSet')]) {
      const { securityContext, volumes = [], containers, initContainers = [], ...pod } = spec.template.spec
      t.like(securityContext, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }, metadata.name)
      t.true(securityContext.runAsUser > 10_000)
      t.is(pod.automountServiceAccountToken, false)
      t.is(pod.enableServiceLinks, false)
      t.falsy(pod.hostNetwork ?? pod.hostPID ?? pod.hostIPC)
      for (const volume of volumes) t.false('hostPath' in volume)
      for (const container of [...initContainers, ...containers]) {
        const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = container.securityContext
        t.deepEqual([allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities], [false, true, { drop: ['ALL'] }])
      }
    }
  }
})

test('the network policies allow exactly the calls in the code', (t) => {
  for (const built of builds) {
    const stores = storesOf(built)
    const pods = podsOf(built)
    const known = (name: string) => hasCode(name) || name in stores
    const expected = [...code.values()].flatMap(({ name, calls, usesMongo, usesNats }) => [
      ...calls.map(
        ({ service, port }) => `${name} -> ${service}:${portNamed(theOnly(built, 'Deployment', service), port)}`,
      ),
      ...(usesMongo ? [`${name} -> mongod:27017`] : []),
      ...(usesNats ? [`${name} -> nats:4222`] : []),
    ])
    if (MAIL_STANDS_IN in stores) expected.push(`inbox -> ${MAIL_STANDS_IN}:1025`)
    const everyone = [...pods.filter(({ name }) => !(name in stores)), ...Object.values(stores)]
    const actual = everyone.flatMap((from) =>
      everyone
        .filter((to) => to !== from)
        .flatMap((to) => PORTS.filter((port) => isAllowed(built, from, to, port)).map((port) => ({ from, to, port }))),
    )
    const ours = actual.filter(({ from, to }) => known(from.name) && known(to.name) && !isElsewhere(from, built))
    const lines = ours.map(({ from, to, port }) => `${from.name} -> ${to.name}:${port}`)
    t.deepEqual(lines.sort(), expected.sort(), built.name)
  }
})

test('only the ingress controller reaches the gateway, and other pods of the cluster reach nothing', (t) => {
  for (const built of builds) {
    const reachedBy = (from: Omit<Pod, 'name'>) =>
      podsOf(built).flatMap((pod) =>
        PORTS.filter((port) => isAllowed(built, { name: 'another', ...from }, pod, port)).map(
          (port) => `${pod.name}:${port}`,
        ),
      )
    const controller = { 'app.kubernetes.io/name': 'traefik' }
    t.deepEqual(reachedBy({ namespace: 'traefik', labels: controller }), ['gateway:8080'], built.name)
    t.deepEqual(reachedBy({ namespace: 'traefik', labels: {} }), [], 'another pod beside the controller')
    t.deepEqual(reachedBy({ namespace: 'elsewhere', labels: controller }), [], 'a pod that calls itself one')
    t.deepEqual(reachedBy({ namespace: 'elsewhere', labels: {} }), [])
  }
})

test('the internet reaches only inbox, for mail; only mail, mailboxes, pushes and client documents go out', (t) => {
  for (const built of builds) {
    const inward = ofKind(built, 'NetworkPolicy').flatMap(({ metadata, spec }) =>
      (spec.ingress ?? [])
        .filter(({ from }: { from?: object[] }) => from === undefined || from.some((peer) => 'ipBlock' in peer))
        .map(({ from, ports }: { from?: Block[]; ports: { port: number }[] }) => [
          metadata.name,
          ports.map(({ port }) => port),
          from?.every(({ ipBlock }) => ipBlock?.except?.some((range) => PRIVATE.includes(range))),
        ]),
    )
    t.deepEqual(inward, [['inbox', [2525], true]], built.name)
    const outward = ofKind(built, 'NetworkPolicy').flatMap(({ metadata, spec }) =>
      (spec.egress ?? [])
        .filter(({ to }: { to?: object[] }) => to === undefined || to.some((peer) => 'ipBlock' in peer))
        .map(({ ports }: { ports: { port: number }[] }) => [metadata.name, ports.map(({ port }) => port)]),
    )
    t.deepEqual(
      outward.sort(),
      [
        ['auth', [443]],
        ['inbox', [25, 465, 587, 443, 143, 993]],
        ...(built.name.endsWith('with node-local-dns') ? [['node-local-dns', [53, 53]]] : []),
      ],
      built.name,
    )
  }
})

test('every pod can ask the cluster’s DNS for names: CoreDNS, and with a component NodeLocal DNSCache or OpenShift’s', (t) => {
  const core: Pod = { name: 'coredns', namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } }
  const labels = { 'dns.operator.openshift.io/daemonset-dns': 'default' }
  const openShift: Pod = { name: 'dns-default', namespace: 'openshift-dns', labels }
  for (const built of builds) {
    for (const pod of podsOf(built)) {
      const where = `${built.name}: ${pod.name}`
      t.true(isAllowed(built, pod, core, 53), where)
      t.is(isAllowed(built, pod, openShift, 5353), built.name.endsWith('with openshift-dns'), where)
    }
    const forNames = ofKind(built, 'NetworkPolicy').filter(({ metadata }) => /^names$|dns$/.test(metadata.name))
    for (const { metadata, spec } of forNames) {
      t.deepEqual(spec.podSelector, {}, metadata.name)
      const protocols = spec.egress.flatMap(({ ports }: { ports: { protocol: string }[] }) =>
        ports.map(({ protocol }) => protocol),
      )
      t.deepEqual(protocols, ['UDP', 'TCP'], metadata.name)
    }
    const cache = forNames.flatMap(({ spec }) => spec.egress[0].to).filter((peer) => 'ipBlock' in peer)
    const expected = built.name.endsWith('with node-local-dns') ? [{ ipBlock: { cidr: '169.254.20.10/32' } }] : []
    t.deepEqual(cache, expected, built.name)
  }
})

test('a trace collector is reachable only with its component', (t) => {
  const collector: Pod = { name: 'collector', namespace: 'tracing', labels: {} }
  for (const built of builds)
    for (const pod of podsOf(built).filter(({ name }) => code.has(name)))
      t.is(isAllowed(built, pod, collector, 4318), built.name.endsWith('with traces'), `${built.name}: ${pod.name}`)
})

test('Prometheus reaches the metrics of every service and nothing else', (t) => {
  for (const built of builds) {
    const prometheus: Pod = { name: 'prometheus', namespace: 'monitoring', labels: {} }
    for (const pod of podsOf(built).filter(({ name }) => code.has(name))) {
      const reached = PORTS.filter((port) => isAllowed(built, prometheus, pod, port))
      const { template } = theOnly(built, 'Deployment', pod.name).spec
      t.deepEqual(reached, [Number(template.metadata.annotations['prometheus.io/port'])], `${built.name}: ${pod.name}`)
      t.is(portNamed(theOnly(built, 'Deployment', pod.name), 'metrics'), reached[0])
    }
  }
})

test('docs/architecture.md agrees about which service calls which', (t) => {
  const section = read('docs/architecture.md').split('## Who calls whom')[1]?.split('\n## ')[0] ?? ''
  const rows = [...section.matchAll(/^\| ([a-z-]+) +\| ([^|]+)\|/gm)].map(
    ([, from, to = '']) => [from, to.split(',')] as const,
  )
  const documented = rows.flatMap(([from, to]) => to.map((callee) => `${from} -> ${callee.trim()}`))
  const made = [...code.values()].flatMap(({ name, calls, usesMongo, usesNats }) => [
    ...calls.map(
      ({ service, port }) => `${name} -> ${service}${port === 'http' && service === 'auth' ? ' (HTTP)' : ''}`,
    ),
    ...(usesMongo ? [`${name} -> MongoDB`] : []),
    ...(usesNats ? [`${name} -> NATS`] : []),
  ])
  const about = documented.filter((line) => line.split(' -> ').every((name) => !isService(name) || hasCode(name)))
  t.deepEqual(about.sort(), made.sort())
})

test('the public hosts match the three addresses, however they are routed', (t) => {
  for (const built of builds) {
    const { data = {} } = theOnly(built, 'ConfigMap', 'settings')
    const hosts = ['BASE_URL', 'API_URL', 'INBOX_URL'].map((setting) => new URL(data[setting] ?? '').hostname).sort()
    for (const { spec } of ofKind(built, 'Ingress')) {
      t.deepEqual(spec.rules.map(({ host }: { host: string }) => host).sort(), hosts)
      if (spec.tls) t.deepEqual([...spec.tls[0].hosts].sort(), hosts)
      for (const { http } of spec.rules) {
        const [{ path, pathType, backend }] = http.paths
        t.deepEqual([path, pathType], ['/', 'Prefix'])
        const { name, port } = backend.service
        t.true(theOnly(built, 'Service', name).spec.ports.some((entry: Port) => entry.name === port.name))
      }
    }
    for (const { spec } of ofKind(built, 'Gateway')) {
      t.deepEqual(spec.listeners.map(({ hostname }: { hostname: string }) => hostname).sort(), hosts)
    }
    for (const { spec } of ofKind(built, 'HTTPRoute')) {
      t.deepEqual([...spec.hostnames].sort(), hosts)
      const [{ name, port }] = spec.rules[0].backendRefs
      t.true(theOnly(built, 'Service', name).spec.ports.some((entry: { port: number }) => entry.port === port))
    }
    t.is(ofKind(built, 'Ingress').length + ofKind(built, 'HTTPRoute').length, 1, built.name)
    const smtp = theOnly(built, 'Service', 'inbox-smtp').spec
    t.like(smtp, { type: 'LoadBalancer', externalTrafficPolicy: 'Local' })
    t.is(smtp.ports[0].port, 25)
  }
})

test('the image matches the manifests: version, folder, command and user', (t) => {
  const dockerfile = read('Dockerfile')
  const { version, dependencies } = JSON.parse(read('scripts/package.json'))
  t.true(dockerfile.includes(`node:${dependencies.node}-`), 'the pinned Node.js')
  t.regex(dockerfile, /^RUN node scripts\/lay-out\.mjs/m)
  const [last] = [...dockerfile.matchAll(/^FROM (.*)$/gm)].slice(-1)
  t.is(last?.[1], 'scratch', 'nothing is in it but what is copied')
  const [, command] = dockerfile.match(/^CMD (.*)$/m) ?? []
  const [, folder] = dockerfile.match(/^WORKDIR (\/app.*)\$\{SERVICE\}$/m) ?? []
  const [, user] = dockerfile.match(/^USER (\d+):/m) ?? []
  for (const { service, deployment } of everyService()) {
    const { image, workingDir, command: started } = containerOf(deployment)
    t.is(image, `family-inbox/${service.name}:${version}`)
    t.is(workingDir, `${folder}${service.name}`)
    t.deepEqual(started, JSON.parse(command ?? ''))
    t.is(deployment.spec.template.spec.securityContext.runAsUser, Number(user))
  }
})

test('the local stores have the same settings as under npm start', (t) => {
  const built = builds.find(({ name }) => name === 'local')
  if (!built) return t.fail()
  const { args } = theOnly(built, 'StatefulSet', 'mongod').spec.template.spec.containers[0]
  const mongod = read('packages/local-stack/src/mongod.ts')
  t.true(mongod.includes("['--slowOpSampleRate', '0']") && args.includes('--slowOpSampleRate=0'))
  t.true(
    mongod.includes('transactionLifetimeLimitSeconds=5') &&
      args.includes('--setParameter=transactionLifetimeLimitSeconds=5'),
  )
  const config = theOnly(built, 'ConfigMap', 'nats-server').data?.['nats-server.conf'] ?? ''
  const own = read('packages/local-stack/src/nats-server.ts')
  for (const line of ['sync_interval: always', 'max_payload: 8MB'])
    t.true(config.includes(line) && own.includes(line), line)
})

const PORTS = [25, 443, 1025, 2525, 4222, 8080, 8222, 9464, 9999, 27017, 50051]
/** Private networks, excluded where only the internet is meant, for IPv4 and IPv6. */
const PRIVATE = ['10.0.0.0/8', 'fc00::/7']

type Block = { ipBlock?: { except?: string[] } }

type Port = { name: string; containerPort: number }

/** The mail server of the local overlay. */
const MAIL_STANDS_IN = 'mailpit'

/** The stores of an overlay: its own pods, or those in the operators' namespaces. */
function storesOf(built: Built): Record<string, Pod> {
  const own = podsOf(built).filter(({ name }) => ['mongod', 'nats', MAIL_STANDS_IN].includes(name))
  if (own.length > 0) return Object.fromEntries(own.map((pod) => [pod.name, pod]))
  return {
    mongod: { name: 'mongod', namespace: 'mongodb', labels: {} },
    nats: { name: 'nats', namespace: 'nats', labels: {} },
  }
}

function isElsewhere({ namespace }: Pod, built: Built): boolean {
  return namespace !== theOnly(built, 'Namespace', 'family-inbox').metadata.name
}

function isForNoCode(setting: string): boolean {
  const [, service] = setting.match(/^([A-Z_]+?)(_HTTP)?_ADDRESS$/) ?? []
  return service !== undefined && !hasCode(service.toLowerCase().replaceAll('_', '-'))
}

function isService(name: string): boolean {
  return /^[a-z-]+$/.test(name)
}

// biome-ignore lint/suspicious/noExplicitAny: kubeconform checks its shape
function containerOf({ spec }: Manifest): any {
  return spec.template.spec.containers[0]
}

function portNamed(deployment: Manifest, name: string): number | undefined {
  return containerOf(deployment).ports.find((port: Port) => port.name === name)?.containerPort
}

function portsOf(built: Built, workload: string): Port[] {
  return [...ofKind(built, 'Deployment'), ...ofKind(built, 'StatefulSet')]
    .filter(({ metadata }) => metadata.name === workload)
    .flatMap((manifest) => containerOf(manifest).ports)
}

/** The ports a service listens on, by their names in the manifests. */
function portsServed({ settings }: CodeOf, environment: Environment): Record<string, number> {
  const known = Object.keys(settings.shape).filter((setting) => /(^|_)PORT$/.test(setting))
  const entries = known.flatMap((setting) => {
    const given = environment.find((entry) => entry.setting === setting)?.value
    const port = (settings.shape[setting] as { safeParse(value: unknown): { data?: unknown } }).safeParse(given).data
    return port === undefined ? [] : [[PORT_SETTINGS[setting] ?? setting, Number(port)]]
  })
  return Object.fromEntries(entries)
}

function isTls(environment: Environment): boolean {
  return environment.some(({ setting }) => setting === 'GRPC_TLS_DIR')
}

/** The Secret mounted at the folder of a setting. */
function secretNamed(built: Built, service: string, setting: string): string | undefined {
  const deployment = theOnly(built, 'Deployment', service)
  const folder = environmentOf(built, deployment).find((given) => given.setting === setting)?.value
  return folder === undefined ? undefined : secretAt(deployment, folder)
}

/** The Secret mounted read-only at a folder. */
function secretAt(deployment: Manifest, folder: string | undefined): string | undefined {
  const mount = containerOf(deployment).volumeMounts.find(
    ({ mountPath }: { mountPath: string }) => mountPath === folder,
  )
  const { volumes } = deployment.spec.template.spec
  const volume = volumes.find(({ name }: { name: string }) => name === mount?.name && mount?.readOnly)
  return volume?.secret?.secretName
}
