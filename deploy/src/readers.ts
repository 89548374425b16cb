import { settings as localStack } from '@family-inbox/local-stack/config'
import { services } from '@family-inbox/local-stack/services'
import { settings as ops } from '@family-inbox/ops/target'
import type { z } from 'zod'
import type { Readers } from './settings-table.ts'

/** The settings of every service that exists, of `npm start` and of the operator command. */
export async function everyReader(): Promise<Readers> {
  const own = services.map(async ({ name }) => [name, await settingsOf(name)] as const)
  return { ...Object.fromEntries(await Promise.all(own)), 'npm start': localStack, 'npm run ops': ops }
}

async function settingsOf(service: string): Promise<z.ZodObject> {
  return (await import(`../../services/${service}/src/config.ts`)).settings
}
