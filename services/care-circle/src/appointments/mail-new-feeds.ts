import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { sweepDue } from '@family-inbox/service-kit/mongo/claim-due'
import { trySpendRateLimits } from '@family-inbox/service-kit/mongo/rate-limit'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { toMailName } from '@family-inbox/workspace-kit/mail-name'
import { deriveMailId, fromService } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'
import type { CalendarFeed } from '../models/calendar-feed.ts'
import { type Member, memberId } from '../models/member.ts'

/** To one member: whoever creates and revokes addresses cannot flood the owner. */
const PER_DAY = 10

/** Tells the person and the owner of each new address. Safe on any number of replicas: a repeated mail has the same id. */
export function startNewFeedSweeper(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    ...sweepDue({ rows: ctx.calendarFeeds, field: 'mailDueAt' }, (feed: CalendarFeed) => mailMembers(ctx, feed)),
    wake: ctx.wake.newFeeds,
    failureMessage: 'could not tell members of a new calendar address; will retry',
    logger: ctx.logger,
  })
}

async function mailMembers(ctx: Context, feed: CalendarFeed): Promise<void> {
  const { _id, workspaceId, personId } = feed
  const concerned = { workspaceId, $or: [{ _id: memberId(workspaceId, personId) }, { role: Role.OWNER }] }
  const members = await ctx.members.find(concerned).lean()
  const person = members.find((member) => member.personId === personId)
  if (person !== undefined) for (const member of members) await mailOne(ctx, feed, person, member)
  await ctx.calendarFeeds.updateOne({ _id }, { $unset: { mailDueAt: 1 } })
}

async function mailOne(ctx: Context, feed: CalendarFeed, person: Member, recipient: Member): Promise<void> {
  const mail = composeMail(feed, person, recipient, ctx.config.inboxUrl)
  const limit = { _id: `new-feeds/${recipient._id}`, windows: [{ most: PER_DAY, ms: DAY_MS }] }
  if (await trySpendRateLimits(ctx.mailLimits, [limit], mail.id)) await ctx.mailQueue.send(mail)
}

/** Holds neither the address nor what it shows. */
function composeMail(
  { _id, workspaceId }: CalendarFeed,
  person: Member,
  { personId, email, name }: Member,
  url: string,
) {
  const isOwn = personId === person.personId
  const who = toMailName(person.name) || 'A member of your family'
  return {
    id: deriveMailId('calendar-address', [_id, personId]),
    kind: MailKind.CALENDAR_ADDRESS,
    workspaceId,
    ...fromService({ email, name }),
    subject: isOwn ? 'You created a calendar address' : `${who} created a calendar address`,
    text: [
      `${isOwn ? 'You' : who} created a private address that shows your family’s appointments in another calendar. With the address, anyone can read them.`,
      isOwn
        ? 'If you did this, you don’t need to do anything. If this was not you, revoke the address now, and sign out everywhere under Settings, Devices.'
        : `If you expected this, you don’t need to do anything. If not, ask ${toMailName(person.name) || 'the member'}. They can revoke it.`,
      'This email is about the safety of your family’s appointments, so it comes whatever you chose for notifications.',
    ].join('\n\n'),
    actionLabel: isOwn ? 'See your calendar addresses' : 'Open your calendar',
    actionUrl: `${url}/appointments${isOwn ? '/feeds' : ''}`,
  } satisfies OutgoingMail
}
