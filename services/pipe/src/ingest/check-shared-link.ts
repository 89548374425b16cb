import { Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import type { Context } from '../context.ts'
import type { Link } from '../models/link.ts'
import { type Arrival, decide } from './arrival.ts'

export async function checkSharedLink(ctx: Context, arrivals: readonly Arrival[]): Promise<void> {
  if (arrivals.length === 0) return
  const subjects = Map.groupBy(arrivals, ({ envelope }) => envelope?.institutionId ?? '')
  const wanted = [...subjects].map(([institutionId, about]) => ({
    institutionId,
    subjectRef: { $in: [...new Set(about.map(({ envelope }) => envelope?.subjectRef ?? ''))] },
    live: true,
  }))
  const links = (await ctx.links.collection.find({ $or: wanted }).toArray()) as unknown as Link[]
  const bySubject = new Map(links.map((link) => [subjectOf(link), link]))
  for (const arrival of arrivals) {
    const link = arrival.envelope && bySubject.get(subjectOf(arrival.envelope))
    if (link?.shared) arrival.link = link
    else decide(arrival, Verdict.NOT_SHARED)
  }
}

function subjectOf({ institutionId, subjectRef }: Pick<Link, 'institutionId' | 'subjectRef'>): string {
  return JSON.stringify([institutionId, subjectRef])
}
