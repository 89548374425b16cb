import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Server } from '@grpc/grpc-js'
import type { Definition } from './definition.ts'

/** Adds gRPC server reflection, for tools such as grpcurl. Its packages load only here. */
export async function addReflection(server: Server, definition: Definition): Promise<void> {
  const [{ load }, { ReflectionService }] = await Promise.all([
    import('@grpc/proto-loader'),
    import('@grpc/reflection'),
  ])
  const root = dirname(fileURLToPath(import.meta.resolve('@family-inbox/proto/package.json')))
  const folder = folderOf(definition)
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith('.proto'))
  const contract = await load(
    files.map((name) => join(folder, name)),
    { includeDirs: [root] },
  )
  new ReflectionService(contract).addToServer(server)
}

function folderOf(definition: Definition): string {
  const [path = ''] = Object.values(definition).map((method) => method.path)
  return path.slice(1, path.lastIndexOf('.')).replaceAll('.', '/')
}
