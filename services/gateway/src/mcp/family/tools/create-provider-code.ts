import { z } from 'zod'
import { lovedOneId, time } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const createProviderCode = defineTool('create_provider_code', {
  description:
    'Mint a code for one loved one. The family gives it to a care agency, which uses it once, within 7 days, to link its client to this loved one. Owner and coordinators only. Each call mints a new code.',
  input: z.strictObject({ lovedOneId }),
  output: z.strictObject({ code: z.string(), lovedOneId: z.string(), expiresAt: time }),
  async call({ lovedOneId }, { ctx, on }) {
    const { code, expiresAt } = await ctx.careCircle.createProviderCode({ lovedOneId }, on)
    return { code, lovedOneId, expiresAt: expiresAt?.toISOString() ?? '' }
  },
})
