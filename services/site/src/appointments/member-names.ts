import type { Context } from '../context.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'

/** Of everyone who is a member now, by id. */
export async function readMemberNames(
  ctx: Context,
  visit: Visit,
  { session }: Workspace,
): Promise<Map<string, string>> {
  const { members } = await ctx.careCircle.listMembers({}, asPerson(session, visit))
  return new Map(members.flatMap(({ personId, name }) => (personId === '' ? [] : [[personId, name] as const])))
}
