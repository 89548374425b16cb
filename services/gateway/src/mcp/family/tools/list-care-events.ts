import { z } from 'zod'
import { cursor, limit, lovedOneId, nextCursor, time } from '../fields.ts'
import { defineTool } from '../tool.ts'

export const listCareEvents = defineTool('list_care_events', {
  description:
    'List what care agencies reported for one loved one, newest first. pipeAvailable is false, and the list empty, while no agency is connected for them.',
  input: z.strictObject({ lovedOneId, limit, cursor }),
  output: z.strictObject({
    events: z.array(z.strictObject({ id: z.string(), eventType: z.string(), occurredAt: time, receivedAt: time })),
    pipeAvailable: z.boolean(),
    nextCursor,
  }),
  async call({ lovedOneId, limit, cursor = '' }, { ctx, on }) {
    const request = { lovedOneId, pageSize: limit, pageToken: cursor }
    const { events, pipeAvailable, nextPageToken } = await ctx.careCircle.listCareEvents(request, on)
    return {
      events: events.map(({ id, eventType, occurredAt, receivedAt }) => ({
        id,
        eventType,
        occurredAt: occurredAt?.toISOString() ?? '',
        receivedAt: receivedAt?.toISOString() ?? '',
      })),
      pipeAvailable,
      ...(nextPageToken !== '' && { nextCursor: nextPageToken }),
    }
  },
})
