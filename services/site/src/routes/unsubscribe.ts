import type { Context } from '../context.ts'
import type { VisitHandler } from '../http/visit.ts'
import { messagePage } from '../pages/message.ts'
import { asSite } from '../session.ts'

/** Ends mail about new messages, for whoever has such a mail: by the button of our page, or by a mail program (RFC 8058). */
export function unsubscribe(ctx: Context): VisitHandler {
  return async (visit) => {
    await ctx.auth.admitForm({ clientAddress: visit.clientAddress }, asSite(visit))
    await ctx.inbox.unsubscribe({ token: visit.param('token').slice(0, 128) }, asSite(visit))
    const lines = ['We no longer write to you about new mail in that inbox. Everything in it stays as it is.']
    return {
      page: messagePage({ title: 'These mails have ended', lines, next: { label: 'Open the inbox', href: '/' } }),
    }
  }
}
