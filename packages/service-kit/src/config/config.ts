import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { trimEndOf } from '../text/trim.ts'

export class ConfigError extends Error {
  override name = 'ConfigError'
}

export type Environment = Readonly<Record<string, string | undefined>>

export function readEnvironment(): Environment {
  return { ...process.env }
}

/**
 * Validates settings and fills in defaults. `NAME_FILE` reads `NAME` from a file, and `NAME_COMMAND` from what a shell command prints.
 * @throws ConfigError naming every wrong setting
 */
export function parseSettings<Schema extends z.ZodObject>(schema: Schema, env: Environment): z.infer<Schema> {
  const present = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, givenSetting(name, env)]))
  const result = schema.safeParse(present)
  if (result.success) return result.data
  const lines = result.error.issues.map((issue) => {
    const name = issue.path.map(String).join('.')
    const description = (schema.shape[name] as z.ZodType | undefined)?.description ?? issue.message
    return present[name] === undefined ? `${name} is missing: ${description}` : `${name} is wrong: ${description}`
  })
  throw new ConfigError(lines.join('\n'))
}

/** What was set, in one of the three ways; an empty value counts as none. @throws ConfigError */
export function givenSetting(name: string, env: Environment): string | undefined {
  const [value, file, command] = [env[name], env[`${name}_FILE`], env[`${name}_COMMAND`]]
  if (value) return value
  if (file) return readSecret(name, file)
  return command ? runForSecret(name, command) : undefined
}

const COMMAND_MS = 30_000

/** Once, at the start: nothing else happens in this process yet. */
function runForSecret(name: string, command: string): string {
  try {
    return execFileSync('sh', ['-c', command], { encoding: 'utf8', timeout: COMMAND_MS }).trimEnd()
  } catch {
    throw new ConfigError(
      `${name}_COMMAND is wrong: a shell command that prints ${name}, and ends with 0 within 30 seconds`,
    )
  }
}

function readSecret(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd()
  } catch {
    throw new ConfigError(
      `${name}_FILE is wrong: a file that this process may read, for example /run/secrets/family-inbox/${name}`,
    )
  }
}

/** A TCP port, 0 for any free one. */
export const port = z.coerce.number().int().min(0).max(65_535)

export const wholeNumber = (min: number) => z.coerce.number().int().min(min)

export const daysKept = (min: number) => wholeNumber(min).max(20_000)

/** An absolute http or https URL without its trailing slash, so that paths can be appended. */
export const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => trimEndOf(url, '/'))

export const json = z.string().transform((text, ctx) => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    ctx.addIssue({ code: 'custom', message: 'not JSON' })
    return z.NEVER
  }
})

const aesKey = z.string().regex(/^[\w-]{43}$/)

/** A JSON list of keys for a secret box, each 32 bytes as base64url. May be empty. */
export const secretBoxKeyList = json
  .pipe(z.array(aesKey))
  .transform((keys) => keys.map((key) => Buffer.from(key, 'base64url')))

export const secretBoxKeys = secretBoxKeyList.refine((keys) => keys.length > 0)

/** @throws ConfigError naming the setting and the files that its folder lacks */
export function requireFiles(setting: string, dir: string, files: readonly string[]): void {
  const missing = files.filter((file) => !existsSync(join(dir, file)))
  if (missing.length > 0) throw new ConfigError(`${setting} is wrong: the folder lacks ${missing.join(', ')}`)
}

/** Marks a setting as secret: `.meta(SECRET)`. On a cluster it comes from a file. */
export const SECRET = { secret: true } as const

export const address = (service: string) =>
  z
    .string()
    .regex(/^(in-process:[a-z-]+|\S+:\d+)$/)
    .describe(`the gRPC address of ${service}, for example dns:///${service}:50051`)
