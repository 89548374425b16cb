import { fileURLToPath } from 'node:url'
import { services } from '@family-inbox/local-stack/services'
import { startStack } from '@family-inbox/local-stack/stack'
import { credentials, loadPackageDefinition, Metadata, type ServiceClientConstructor, status } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import test from 'ava'

// Reads the .proto at run time, like a client without generated code.
const PROTO = fileURLToPath(import.meta.resolve('@family-inbox/proto/package.json')).replace('package.json', '')
const onlyCareCircle = services.filter(({ name }) => name === 'care-circle')

test('a client built from the .proto alone is understood, and rejected without a credential', async (t) => {
  await using stack = await startStack({ services: onlyCareCircle })
  const client = connect(
    'familyinbox/carecircle/v1/care_circle.proto',
    CARE_CIRCLE,
    String(stack.addresses['care-circle']),
  )
  const error = await ask(client, 'ListMembers', {})
  t.is((error as { code?: number }).code, status.UNAUTHENTICATED)
  client.close()
})

test('a server offers reflection only when configured', async (t) => {
  for (const asked of [true, false]) {
    await using stack = await startStack({ services: onlyCareCircle, serviceEnv: { GRPC_REFLECTION: `${asked}` } })
    const names = await listServices(String(stack.addresses['care-circle']))
    t.is(names.includes(CARE_CIRCLE), asked)
  }
})

const CARE_CIRCLE = 'familyinbox.carecircle.v1.CareCircleService'
const REFLECTION = 'grpc.reflection.v1.ServerReflection'
const DEADLINE_MS = 5000

/** A client for a service from its .proto. */
function connect(file: string, service: string, address: string, root = PROTO) {
  const contract = loadPackageDefinition(loadSync(file, { includeDirs: [root] }))
  // biome-ignore lint/suspicious/noExplicitAny: packages are nested objects of every depth
  const found = service.split('.').reduce<any>((level, name) => level[name], contract) as ServiceClientConstructor
  return new found(address, credentials.createInsecure())
}

type Loaded = InstanceType<ServiceClientConstructor>

function ask(client: Loaded, method: string, request: object): Promise<unknown> {
  const options = { deadline: Date.now() + DEADLINE_MS }
  return new Promise((resolve) => {
    client[method]?.(request, new Metadata({ waitForReady: true }), options, (error: unknown, answer: unknown) =>
      resolve(error ?? answer),
    )
  })
}

/** Empty without reflection. */
async function listServices(address: string): Promise<string[]> {
  const root = fileURLToPath(import.meta.resolve('@grpc/reflection')).replace(/src\/index\.js$/, 'proto')
  const client = connect('grpc/reflection/v1/reflection.proto', REFLECTION, address, root)
  const stream = client.ServerReflectionInfo?.(new Metadata({ waitForReady: true }), {
    deadline: Date.now() + DEADLINE_MS,
  })
  stream.write({ listServices: '*' })
  const names = await new Promise<string[]>((resolve) => {
    stream.once('error', () => resolve([]))
    stream.once('data', (answer: { listServicesResponse: { service: { name: string }[] } }) =>
      resolve(answer.listServicesResponse.service.map(({ name }) => name)),
    )
  })
  stream.end()
  client.close()
  return names
}
