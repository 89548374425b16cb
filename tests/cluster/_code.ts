import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY, type Service, services } from '@family-inbox/local-stack/services'
import type { z } from 'zod'

/** A service according to its code. */
export type CodeOf = {
  name: string
  settings: z.ZodObject
  isSecret(setting: string): boolean
  isRequired(setting: string): boolean
  /** The services it calls: address setting, service and port. */
  calls: { setting: string; service: string; port: 'grpc' | 'http' }[]
  usesMongo: boolean
  usesNats: boolean
}

/** All services with code, by name. */
export function codeOfServices(): Map<string, CodeOf> {
  return new Map(services.map((service) => [service.name, codeOf(service)]))
}

function codeOf({ name, settings }: Service): CodeOf {
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

/** `CARE_CIRCLE_ADDRESS` is care-circle's gRPC server, `AUTH_HTTP_ADDRESS` auth's HTTP server. */
function callOf(setting: string): CodeOf['calls'] {
  const [, words, http] = setting.match(/^([A-Z_]+?)(_HTTP)?_ADDRESS$/) ?? []
  const service = words?.toLowerCase().replaceAll('_', '-')
  if (service === undefined || service === 'family-inbox-sender') return []
  return [{ setting, service, port: http ? 'http' : 'grpc' }]
}

/** Manifests may exist before the service. */
export function hasCode(service: string): boolean {
  return existsSync(join(REPOSITORY, 'services', service, 'src/config.ts'))
}

export function read(path: string): string {
  return readFileSync(join(REPOSITORY, path), 'utf8')
}
