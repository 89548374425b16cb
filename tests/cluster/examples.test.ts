import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { services } from '@family-inbox/local-stack/services'
import test from 'ava'
import { parse, parseAllDocuments } from 'yaml'
import { K8S, type Manifest } from './_manifests.ts'

const read = (path: string) => readFile(join(K8S, path), 'utf8')
const example = async (name: string) =>
  parseAllDocuments(await read(`examples/${name}.yaml`)).map((document) => document.toJS() as Manifest)
const specOf = async (name: string, kind: string) => (await example(name)).find((each) => each.kind === kind)?.spec

const DATABASES = services.flatMap(({ database }) => (database === undefined ? [] : [database])).sort()

type User = { name: string; db: string; passwordSecretRef: { name: string }; roles: { name: string; db: string }[] }
type Role = { role: string; db: string; privileges: { resource: object; actions: string[] }[]; roles: object[] }

for (const [name, kind] of [
  ['mongodb-community', 'MongoDBCommunity'],
  ['mongodb-percona', 'PerconaServerMongoDB'],
] as const) {
  test(`${name}: each service has a user with rights on its own database alone`, async (t) => {
    const spec = await specOf(name, kind)
    const users: User[] = spec.users
    const roles: Role[] = spec.roles ?? spec.security.roles
    t.deepEqual(users.map(({ db }) => db).sort(), DATABASES)
    for (const { name: user, db, passwordSecretRef, roles: given } of users) {
      t.is(user, db.replace('_', '-'))
      t.is(passwordSecretRef.name, `password-${user}`)
      t.deepEqual(given, [{ name: 'service', db }])
      const role = roles.find((each) => each.db === db)
      t.deepEqual(role?.privileges, [{ resource: { db, collection: '' }, actions: ['collMod'] }])
      t.is(JSON.stringify(role?.roles).includes('readWrite'), true)
      t.deepEqual(
        JSON.stringify(role?.roles)
          .match(/"db":"(\w+)"/g)
          ?.map((each) => each.slice(6, -1)),
        [db],
      )
    }
  })
}

test('both operators of MongoDB run three members in three zones, with TLS and the two settings that differ from its defaults', async (t) => {
  const community = await specOf('mongodb-community', 'MongoDBCommunity')
  t.is(community.members, 3)
  t.true(community.security.tls.enabled)
  t.is(community.additionalMongodConfig['setParameter.transactionLifetimeLimitSeconds'], 5)
  t.is(community.additionalMongodConfig['operationProfiling.slowOpSampleRate'], 0)
  const [{ topologyKey }] = community.statefulSet.spec.template.spec.topologySpreadConstraints
  t.is(topologyKey, 'topology.kubernetes.io/zone')
  const percona = await specOf('mongodb-percona', 'PerconaServerMongoDB')
  const [set] = percona.replsets
  t.is(set.size, 3)
  t.is(percona.tls.mode, 'requireTLS')
  t.like(parse(set.configuration), {
    setParameter: { transactionLifetimeLimitSeconds: 5 },
    operationProfiling: { slowOpSampleRate: 0 },
  })
  t.true(JSON.stringify(set.affinity).includes('topology.kubernetes.io/zone'))
})

test('the chart of NATS gets what the services rely on, and names that its certificate has', async (t) => {
  const { config, container, podTemplate } = parse(await read('examples/nats-values.yaml'))
  const local = await read('overlays/local/nats-server.conf')
  t.true(local.includes('max_payload: 8MB'))
  t.is(config.merge.max_payload, '<< 8MB >>')
  t.is(config.jetstream.merge.sync_interval, 'always')
  t.true(local.includes('sync_interval: always'))
  const settings = await read('overlays/production/settings.env')
  t.is(config.cluster.replicas, Number(/^NATS_REPLICAS=(\d)$/m.exec(settings)?.[1]))
  const hosts = [...(/^NATS_URL=(.*)$/m.exec(settings)?.[1]?.matchAll(/tls:\/\/[^.]+(\.[^:,]+):4222/g) ?? [])]
  t.is(hosts.length, config.cluster.replicas)
  const certificate = (await example('nats')).find(({ metadata }) => metadata.name === 'nats-tls')
  for (const [, domain] of hosts) t.true(certificate?.spec.dnsNames.includes(`*${domain}`), domain)
  t.is(config.nats.tls.secretName, certificate?.spec.secretName)
  const [{ value: mount }] = container.patch
  t.is(join('/etc/nats-config', config.merge.$include), join(mount.mountPath, 'users.conf'))
  t.deepEqual(podTemplate.patch[0].value, { name: mount.name, configMap: { name: 'nats-users' } })
})

test('a store of secrets elsewhere has an entry for each service, and losing one takes none from running services', async (t) => {
  const manifests = parseAllDocuments(await read('components/external-secrets/external-secrets.yaml'))
  const fetched = manifests.map((document) => document.toJS() as Manifest)
  t.deepEqual(
    fetched.map(({ spec }) => spec.target.name),
    services.map(({ name }) => name as string).sort(),
  )
  for (const { metadata, spec } of fetched) {
    t.is(metadata.name, spec.target.name)
    t.is(spec.target.deletionPolicy, 'Retain')
    t.deepEqual(spec.dataFrom, [{ extract: { key: `family-inbox/${metadata.name}` } }])
  }
})
