/** A membership that has ended. Both times are care-circle's. */
export type EndedMembership = { workspaceId: string; personId: string; since: Date; endedAt: Date }

/** How an ended membership is announced: like every removal by ids, and by nothing that says who somebody is. */
export function nameEndedMembership({ workspaceId, personId, since, endedAt }: EndedMembership): string {
  return [workspaceId, personId, since.getTime(), endedAt.getTime()].join('/')
}

/** Reads what `nameEndedMembership` wrote. */
export function readEndedMembership(id: string): EndedMembership {
  const [workspaceId = '', personId = '', since, endedAt] = id.split('/')
  return { workspaceId, personId, since: new Date(Number(since)), endedAt: new Date(Number(endedAt)) }
}
