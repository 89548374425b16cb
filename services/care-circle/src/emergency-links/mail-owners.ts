import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { sweepDue } from '@family-inbox/service-kit/mongo/claim-due'
import { nameInMail } from '@family-inbox/workspace-kit/mail-name'
import { deriveMailId, fromService } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { type EmergencyLink, type LinkNews, MAX_WRONG_CODES } from '../models/emergency-link.ts'
import type { Member } from '../models/member.ts'

/**
 * Tells the owners, who alone see links, that one was created, that it was opened for the first time, and that wrong codes locked
 * it: each once. Safe on any number of replicas: a repeated mail has the same id.
 */
export function startLinkNewsSweeper(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    ...sweepDue({ rows: ctx.emergencyLinks, field: 'mailDueAt' }, (link: EmergencyLink) => mailOwners(ctx, link)),
    wake: ctx.wake.emergencyLinks,
    failureMessage: 'could not tell the owners about a link to an emergency sheet; will retry',
    logger: ctx.logger,
  })
}

async function mailOwners(ctx: Context, link: EmergencyLink): Promise<void> {
  const { _id, workspaceId, lovedOneId, mailDueAt } = link
  const news = newsOf(link)
  const [owners, lovedOne] = await Promise.all([
    ctx.members.find({ workspaceId, role: Role.OWNER }).lean(),
    ctx.lovedOnes.findOne({ _id: lovedOneId, workspaceId }, { name: 1 }).lean(),
  ])
  const whom = nameInMail(lovedOne?.name ?? '')
  for (const one of news)
    for (const owner of owners) await ctx.mailQueue.send(composeMail(link, one, owner, whom, ctx.config.inboxUrl))
  crashPoint('emergency-link-mailed')
  await ctx.emergencyLinks.updateOne({ _id }, { $addToSet: { told: { $each: news } } })
  // What happened meanwhile made another mail due.
  await ctx.emergencyLinks.updateOne({ _id, mailDueAt }, { $unset: { mailDueAt: 1 } })
}

function newsOf({ openedCount, wrongCodes, told = [] }: EmergencyLink): LinkNews[] {
  const happened: LinkNews[] = ['created']
  if (openedCount > 0) happened.push('opened')
  if (wrongCodes >= MAX_WRONG_CODES) happened.push('locked')
  return happened.filter((one) => !told.includes(one))
}

/** Names neither the address nor the code, and nothing of the sheet. */
function composeMail(
  { _id, workspaceId, lovedOneId }: EmergencyLink,
  news: LinkNews,
  { personId, email, name }: Member,
  whom: string,
  inboxUrl: string,
): OutgoingMail {
  const { subject, text } = WORDS[news](whom)
  return {
    id: deriveMailId('emergency-link', [_id, news, personId]),
    kind: MailKind.EMERGENCY_LINK,
    workspaceId,
    ...fromService({ email, name }),
    subject,
    text: [text, SAFETY].join('\n\n'),
    actionLabel: 'See the links',
    actionUrl: `${inboxUrl}/emergency-sheets/${lovedOneId}/links`,
  }
}

const SAFETY = 'This email is about the safety of your family’s data, so it comes whatever you chose for notifications.'

const WORDS: Record<LinkNews, (whom: string) => { subject: string; text: string }> = {
  created: (whom) => ({
    subject: `A link to the emergency sheet of ${whom} was created`,
    text: 'Whoever has the link and its code can read the sheet until the link ends. If you expected this, you don’t need to do anything. If not, revoke the link now.',
  }),
  opened: (whom) => ({
    subject: `The emergency sheet of ${whom} was opened with a link`,
    text: 'Somebody opened a link that your family created, with the right code. We don’t mail you when it is opened again: its page shows every time. If you did not expect this, revoke the link now.',
  }),
  locked: (whom) => ({
    subject: `A link to the emergency sheet of ${whom} was locked`,
    text: 'Somebody entered too many wrong codes. The link no longer opens the sheet. If a doctor or a ward needs it, create a new link.',
  }),
}
