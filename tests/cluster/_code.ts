import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { everyReader } from '@family-inbox/deploy/docs'
import { REPOSITORY, type Service, services } from '@family-inbox/local-stack/services'
import { z } from 'zod'

/** A service as its code says it is. */
export type CodeOf = {
  name: string
  settings: z.ZodObject
  isSecret(setting: string): boolean
  isRequired(setting: string): boolean
  /** Whom it calls: the address setting, the service behind it, and which of its ports. */
  calls: { setting: string; service: string; port: 'grpc' | 'http' }[]
  usesMongo: boolean
  usesNats: boolean
}

/** Every service there is code for, by name. */
export async function codeOfServices(): Promise<Map<string, CodeOf>> {
  const readers = await everyReader()
  return new Map(services.map(({ name }) => [name, codeOf({ name }, readers[name] ?? z.object({}))]))
}

function codeOf({ name }: Pick<Service, 'name'>, settings: z.ZodObject): CodeOf {
  const schemaOf = (setting: string) => settings.shape[setting] as z.ZodType
  return {
    name,
    settings,
    isSecret: (setting) => schemaOf(setting).meta()?.secret === true,
    isRequired: (setting) => !schemaOf(setting).safeParse(undefined).success,
    calls: Object.keys(settings.shape).flatMap(callOf),
    usesMongo: 'MONGODB_URI' in settings.shape,
    usesNats: 'NATS_URL' in settings.shape,
  }
}

/** `CARE_CIRCLE_ADDRESS` is care-circle's gRPC server, `AUTH_HTTP_ADDRESS` what auth serves by HTTP. */
function callOf(setting: string): CodeOf['calls'] {
  const [, words, http] = setting.match(/^([A-Z_]+?)(_HTTP)?_ADDRESS$/) ?? []
  const service = words?.toLowerCase().replaceAll('_', '-')
  if (service === undefined || service === 'family-inbox-sender') return []
  return [{ setting, service, port: http ? 'http' : 'grpc' }]
}

/** Whether there is code for a service; its manifests may come first. */
export function hasCode(service: string): boolean {
  return existsSync(join(REPOSITORY, 'services', service, 'src/config.ts'))
}

/** A file of the repository. */
export function read(path: string): string {
  return readFileSync(join(REPOSITORY, path), 'utf8')
}
