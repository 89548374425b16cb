import { z } from 'zod'
import { idempotencyKey, lovedOneId, time } from '../fields/fields.ts'
import { defineTool } from './tool.ts'

export const createProviderCode = defineTool({
  description:
    'Create a provider code for one loved one. The family gives it to a care agency, which uses it once within 7 days to link its client. Viewers cannot create one.',
  input: z.strictObject({ lovedOneId, idempotencyKey }),
  output: z.strictObject({ code: z.string(), lovedOneId: z.string(), expiresAt: time }),
  async confirmation(input, { ctx, on }) {
    const { lovedOnes } = await ctx.careCircle.listLovedOnes({}, on)
    const name = lovedOnes.find(({ id }) => id === input.lovedOneId)?.name ?? input.lovedOneId
    return { question: `Create a code that links a care agency to ${name}?`, input }
  },
  async call({ lovedOneId, idempotencyKey }, { ctx, on }) {
    const { code, expiresAt } = await ctx.careCircle.createProviderCode({ lovedOneId, idempotencyKey }, on)
    return { code, lovedOneId, expiresAt: expiresAt?.toISOString() ?? '' }
  },
})
