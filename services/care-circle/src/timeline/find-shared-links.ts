import type { SharedLink } from '@family-inbox/proto/pipe/v1/pipe'
import type { Context } from '../context.ts'

/** Finds the links that share events of these loved ones now. @throws StatusError UNAVAILABLE while that is unknown */
export async function findSharedLinks(
  { pipe }: Pick<Context, 'pipe'>,
  workspaceId: string,
  lovedOneIds: string[],
  deadline: number | undefined,
): Promise<SharedLink[]> {
  const listOf = async (lovedOneId: string) => {
    const { links } = await pipe.listSharedLinks({ workspaceId, lovedOneId }, { deadline })
    return links.map((link) => ({ ...link, lovedOneId }))
  }
  const [first, ...others] = lovedOneIds
  if (first !== undefined && others.length === 0) return listOf(first)
  const { links, ofAll } = await pipe.listSharedLinks({ workspaceId, lovedOneId: '' }, { deadline })
  if (ofAll) return links.filter(({ lovedOneId }) => lovedOneIds.includes(lovedOneId))
  // During an upgrade, an older pipe answers: it lists one loved one at a time, and does not say whose a link is.
  return (await Promise.all(lovedOneIds.map(listOf))).flat()
}
