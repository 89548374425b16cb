import { cutPage, olderThan, tokenAfter } from '@family-inbox/service-kit/rpc/page'
import type { Context } from '../context.ts'
import { wordsOf } from '../models/entry-words.ts'
import { type Phrase, searchWords } from '../models/index-words.ts'
import type { Message } from '../models/message.ts'
import { type Place, VISIBLE } from '../models/message-aside.ts'
import { ASIDE_FIELDS, type AsideRow } from './to-wire-aside.ts'

/** Read at a time, so that other requests have their turn. */
const BATCH = 100
/** A page ends early rather than late. */
const PAGE_MS = 1000

const FIELDS = {
  ...ASIDE_FIELDS,
  headId: 1,
  'message.text': 1,
  'message.originalSender': 1,
  'message.attachments.filename': 1,
} as const

type Row = AsideRow & { headId?: string; message: Message }

type Search = { workspaceId: string; place: Place; text: string; pageToken: string; limit: number }

/**
 * What was moved together and has all the words in one of its messages, moved last first. Reads the mail itself: it is in no index of
 * words, so the search of the inbox cannot find it, and nothing of it has to be deleted there.
 */
export async function searchAside(ctx: Context, { workspaceId, place, text, pageToken, limit }: Search) {
  const { phrases } = searchWords(text)
  const heads = { workspaceId, place, headId: null, ...VISIBLE }
  const found: AsideRow[] = []
  let token = pageToken
  for (const endsAt = Date.now() + PAGE_MS; phrases.length > 0; ) {
    const rows = await ctx.messagesAside
      .find({ $and: [heads, olderThan('movedAt', token)] }, FIELDS)
      .sort({ movedAt: -1, _id: -1 })
      .limit(BATCH)
      .lean<Row[]>()
    const matching = await findMatching(ctx, rows, phrases)
    found.push(...rows.filter(({ _id }) => matching.has(_id)))
    const last = rows.at(-1)
    if (found.length > limit) return cutPage(found, limit, ({ movedAt }) => movedAt)
    if (last === undefined || rows.length < BATCH) break
    token = tokenAfter(last, last.movedAt)
    if (Date.now() > endsAt) return { page: found, nextPageToken: token }
  }
  return { page: found, nextPageToken: '' }
}

/** The ids of rows that match, or that were moved with one that does. */
async function findMatching({ messagesAside }: Context, rows: Row[], phrases: Phrase[]): Promise<Set<string>> {
  const heads = rows.filter(({ messages = 1 }) => messages > 1).map(({ _id }) => _id)
  const together = { headId: { $in: heads }, ...VISIBLE }
  const others = heads.length === 0 ? [] : await messagesAside.find(together, FIELDS).lean<Row[]>()
  const matching = [...rows, ...others].filter(({ message }) => {
    const { words } = wordsOf(message)
    return phrases.every(({ pattern }) => pattern.test(words))
  })
  return new Set(matching.map(({ _id, headId = _id }) => headId))
}
