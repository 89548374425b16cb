import type { z } from 'zod'

/** Writes data as a cookie value. It is neither signed nor secret. */
export function writeCookieValue(data: object): string {
  return Buffer.from(JSON.stringify(data)).toString('base64url')
}

/** Reads it back; undefined for anything that does not fit the schema. */
export function readCookieValue<Schema extends z.ZodType>(schema: Schema, cookie: string): z.infer<Schema> | undefined {
  try {
    return schema.parse(JSON.parse(Buffer.from(cookie, 'base64url').toString()))
  } catch {
    return undefined
  }
}
