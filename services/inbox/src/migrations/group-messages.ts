import type { ConversationKeys } from '../models/conversation-keys.ts'

/** Bounds the work for mail that all names the same message. */
const MAX_HOLDERS = 500

type Keyed = ConversationKeys & { id: string }

/** Finds the conversations of a whole inbox. @returns for each message the smallest id of those it belongs with */
export function groupMessages(messages: Iterable<Keyed>, maxSize: number): Map<string, string> {
  const groupOf = new Map<string, string[]>()
  const holders = new Map<string, string[]>()

  function join(one: string[], other: string[]): string[] {
    if (one === other || one.length + other.length > maxSize) return one
    const [large, small] = one.length < other.length ? [other, one] : [one, other]
    for (const id of small) groupOf.set(id, large)
    large.push(...small)
    return large
  }

  function joinHolders(own: string[], known: string[]): string[] {
    const group = known.reduce((all, holder) => join(all, groupOf.get(holder) ?? []), own)
    // A single member stands for the whole group.
    if (known.every((holder) => groupOf.get(holder) === group)) known.splice(1)
    return group
  }

  for (const { id, own, sought } of messages) {
    let group = [id]
    groupOf.set(id, group)
    for (const key of sought) group = joinHolders(group, holders.get(key) ?? [])
    for (const key of own) {
      const known = holders.get(key) ?? []
      if (known.length < MAX_HOLDERS) known.push(id)
      holders.set(key, known)
    }
  }
  const groups = [...new Set(groupOf.values())]
  return new Map(groups.flatMap((ids) => ids.map((id) => [id, ids.reduce(smaller)] as const)))
}

function smaller(one: string, other: string): string {
  return one < other ? one : other
}
