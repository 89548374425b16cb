/** What became of one item of a batch. */
export type Outcome<Result> = { result: Result } | { error: unknown }

/**
 * Sends items together, and one by one when together they fail for a reason that may lie in one of them: so that whatever is
 * wrong with an item is that item's trouble alone.
 * @param send answers with as many results, in order
 * @param isShared whether an error would meet every item alike, so that asking again for each is of no use
 */
export async function oneByOneOnFailure<Item, Result>(
  items: Item[],
  send: (items: Item[]) => Promise<Result[]>,
  isShared: (error: unknown) => boolean,
): Promise<Outcome<Result>[]> {
  try {
    return (await send(items)).map((result) => ({ result }))
  } catch (error) {
    if (items.length === 1 || isShared(error)) return items.map(() => ({ error }))
    const alone = await Promise.all(items.map((item) => oneByOneOnFailure([item], send, isShared)))
    return alone.flat()
  }
}
