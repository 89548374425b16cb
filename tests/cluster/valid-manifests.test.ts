import { spawn } from 'node:child_process'
import { Gateway, HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1'
import test from 'ava'
import { type Built, buildOverlays, buildWithComponent, clusterTools, type Manifest, ofKind } from './_manifests.ts'
import { schemasFor } from './_schemas.ts'
import { KUBERNETES_VERSIONS } from './_tools.ts'

let builds: Built[] = []

test.before('build every overlay', async (t) => {
  t.timeout(300_000) // a new machine builds the tools first
  const components = ['gateway-api', 'traces'].map((component) => buildWithComponent('production', component))
  components.push(buildWithComponent('local', 'tls'))
  builds = [...(await buildOverlays()), ...(await Promise.all(components))]
})

test('Kubernetes would accept every field of every overlay', async (t) => {
  for (const built of builds) {
    for (const version of KUBERNETES_VERSIONS) {
      const { code, output } = await conform(built, version)
      t.is(code, 0, `${built.name}, Kubernetes ${version}: ${output}`)
      t.regex(output, new RegExp(`Valid: ${built.manifests.length}, Invalid: 0, Errors: 0, Skipped: 0`))
    }
  }
})

test('an unknown field or a port that is not a number would be found', async (t) => {
  const [built] = builds
  if (!built) return t.fail()
  const misspelt = { ...built, text: built.text.replace('revisionHistoryLimit:', 'revisionHistoryLimits:') }
  t.regex((await conform(misspelt, KUBERNETES_VERSIONS[0])).output, /additional properties 'revisionHistoryLimits'/)
  const quoted = { ...built, text: built.text.replace('containerPort: 50051', 'containerPort: "50051"') }
  t.regex((await conform(quoted, KUBERNETES_VERSIONS[0])).output, /containerPort': got string, want integer/)
})

test('the component’s objects match the Gateway API’s types', async (t) => {
  const built = builds.find(({ name }) => name.endsWith('gateway-api'))
  if (!built) return t.fail()
  t.is(ofKind(built, 'Ingress').length, 0, 'the component replaces the Ingress')
  const types = { Gateway, HTTPRoute }
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

async function conform({ text }: Built, version: string) {
  const { kubeconform } = await clusterTools()
  await using schemas = await schemasFor(
    builds.flatMap(({ manifests }) => manifests),
    version,
  )
  return await feed(kubeconform, ['-strict', '-summary', '-schema-location', schemas.location], text)
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
