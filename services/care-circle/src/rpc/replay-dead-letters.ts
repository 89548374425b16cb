import type { ReplayDeadLettersRequest, ReplayDeadLettersResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { replayDeadLetters as replay } from '../timeline/dead-letters.ts'

const MAX_IDS = 1000
/** For the last event. */
const MARGIN_MS = 400

/** For the operator. Oldest first, with all their tries, until the deadline. */
export function replayDeadLetters(ctx: Context): Handler<ReplayDeadLettersRequest, ReplayDeadLettersResponse> {
  return async ({ eventIds }, call) => {
    requireService(call, 'ops')
    if (eventIds.length > MAX_IDS) throw invalidArgument('eventIds', `eventIds may contain at most ${MAX_IDS} ids.`)
    return { replayed: await replay(ctx, eventIds, call.deadline - MARGIN_MS) }
  }
}
