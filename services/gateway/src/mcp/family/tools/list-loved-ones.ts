import { z } from 'zod'
import { defineTool } from './tool.ts'

export const listLovedOnes = defineTool({
  description:
    'List the loved ones, the people this family cares for and looks after, with the inbox address of each to give to clinics: null until it is set up. Other tools take the id as lovedOneId.',
  input: z.strictObject({}),
  output: z.strictObject({
    lovedOnes: z.array(z.strictObject({ id: z.string(), name: z.string(), inboxAddress: z.string().nullable() })),
  }),
  async call(_input, { ctx, on }) {
    const [{ lovedOnes }, { addresses }] = await Promise.all([
      ctx.careCircle.listLovedOnes({}, on),
      ctx.inbox.listInboxAddresses({}, on),
    ])
    const addressOf = new Map(addresses.map(({ lovedOneId, address }) => [lovedOneId, address]))
    return { lovedOnes: lovedOnes.map(({ id, name }) => ({ id, name, inboxAddress: addressOf.get(id) ?? null })) }
  },
})
