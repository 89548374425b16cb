import { z } from 'zod'

export type Readers = Readonly<Record<string, z.ZodObject>>

/** A documented setting. Readers with the same description share a row. */
export type SettingRow = {
  name: string
  readers: string[]
  description: string
  /** As written in the environment. */
  default?: string
  required: boolean
  secret: boolean
}

export function settingRows(readers: Readers): SettingRow[] {
  const rows = new Map<string, SettingRow>()
  for (const [reader, settings] of Object.entries(readers)) {
    for (const [name, schema] of Object.entries(settings.shape)) {
      const row = rowOf(name, schema as z.ZodType)
      const key = JSON.stringify(row)
      rows.set(key, { ...row, readers: [...(rows.get(key)?.readers ?? []), reader] })
    }
  }
  return [...rows.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

export function settingsTable(rows: readonly SettingRow[]): string {
  const lines = rows.map(({ name, readers, description, secret, ...row }) =>
    [`\`${name}\``, readers.join(', '), defaultText(row), `${secret ? '**Secret.** ' : ''}${sentence(description)}`]
      .map((cell) => cell.replaceAll('|', '\\|'))
      .join(' | '),
  )
  return [
    '| Setting | Read by | Default | Description |',
    '| - | - | - | - |',
    ...lines.map((line) => `| ${line} |`),
  ].join('\n')
}

function rowOf(name: string, schema: z.ZodType): SettingRow {
  const fallback = defaultOf(schema)
  return {
    name,
    readers: [],
    description: schema.description ?? '',
    ...(fallback === undefined ? {} : { default: String(fallback) }),
    required: !schema.safeParse(undefined).success,
    secret: schema.meta()?.secret === true,
  }
}

function defaultOf(schema: unknown): unknown {
  if (schema instanceof z.ZodDefault) return schema.def.defaultValue
  return schema instanceof z.ZodPipe ? defaultOf(schema.def.in) : undefined
}

function defaultText({ default: value, required }: Pick<SettingRow, 'default' | 'required'>): string {
  if (required) return 'required'
  return value === undefined || value === '' ? '' : `\`${value}\``
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
