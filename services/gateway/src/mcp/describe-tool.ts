import { z } from 'zod'

type Described = {
  name: string
  title: string
  description: string
  input: z.ZodObject
  output: z.ZodObject
  /** Those that a token needs to call it; absent for a tool that takes no credential. */
  scopes?: readonly string[]
}

type Hints = { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint?: boolean; openWorldHint: boolean }

export function describeTool({ name, title, description, input, output, scopes }: Described, hints: Hints) {
  return {
    name,
    title,
    description,
    inputSchema: toSchema(input, { io: 'input', leaveOut: REFUSED }),
    outputSchema: toSchema(output, { io: 'output', leaveOut: [...REFUSED, ...NOT_ABOUT_RESULTS] }),
    annotations: { title, ...hints },
    securitySchemes: [scopes ? { type: 'oauth2', scopes } : { type: 'noauth' }],
  }
}

/** Some model providers refuse a tool with these. Arguments are checked against them all the same. */
const REFUSED = ['pattern', 'minLength', 'maxLength', 'maxItems'] as const
/** Every model reads every tool in each conversation. And clients keep a list for an hour, so a result may gain fields. */
const NOT_ABOUT_RESULTS = ['minimum', 'maximum', 'format', 'additionalProperties'] as const

type Rule = (typeof REFUSED)[number] | (typeof NOT_ABOUT_RESULTS)[number]

function toSchema(schema: z.ZodObject, { io, leaveOut }: { io: 'input' | 'output'; leaveOut: readonly Rule[] }) {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema, path }) => {
      for (const rule of leaveOut) delete jsonSchema[rule]
      if (path.length > 0) delete jsonSchema.additionalProperties
      if (io === 'output' && Object.keys(jsonSchema.properties ?? {}).length === 0) delete jsonSchema.properties
    },
  })
  return described
}
