import { sweepProposals } from '@family-inbox/workspace-kit/decide-proposals'
import { indexMessages } from './arriving/index-messages.ts'
import { joinCheckedMail } from './arriving/join-checked-mail.ts'
import { readFiles } from './arriving/read-files.ts'
import { publishCalendarEvents, watchCalendarStream } from './calendar/publish-events.ts'
import type { Context } from './context.ts'
import { sweepExpiredMail } from './deleting/expire-mail.ts'
import { sweepMoves } from './deleting/finish-moves.ts'
import { purgeAside } from './deleting/purge-aside.ts'
import { purgeReplies } from './deleting/purge-replies.ts'
import { startRemovalConsumer } from './deleting/remove-workspace.ts'
import { consumeProposals } from './notifying/consume-proposals.ts'
import { sendNotices } from './notifying/send-notices.ts'
import { sendNotifications } from './notifying/send-notifications.ts'
import { sendSummaries } from './notifying/send-summaries.ts'
import { finishLeaving } from './rearranging/finish-leaving.ts'
import { sweepReplies } from './replying/queue-reply.ts'
import { sweepReplyFiles } from './replying/remove-reply-files.ts'
import { replyProposals } from './replying/reply-proposals.ts'
import { markLostMail, watchMailStream } from './sending/mark-lost-mail.ts'
import { sendQueue } from './sending/send-queue.ts'
import { sealEarlier } from './storage/seal-earlier.ts'

/** What a replica does besides answering. Each starts with the service and ends with it. */
export const background = [
  sendQueue,
  sweepReplies,
  sweepReplyFiles,
  (started: Context) => sweepProposals(replyProposals(started), started),
  markLostMail,
  watchMailStream,
  consumeProposals,
  sendNotifications,
  sendNotices,
  sendSummaries,
  sweepExpiredMail,
  sweepMoves,
  finishLeaving,
  purgeAside,
  purgeReplies,
  indexMessages,
  joinCheckedMail,
  readFiles,
  publishCalendarEvents,
  watchCalendarStream,
  startRemovalConsumer,
  sealEarlier,
] as const satisfies readonly ((ctx: Context) => AsyncDisposable | undefined)[]
