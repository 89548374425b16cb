import { Readable } from 'node:stream'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import type { SendMailOptions } from 'nodemailer'
import type { Context } from '../context.ts'
import { readPieces } from '../models/reply-file.ts'

type MailFiles = NonNullable<SendMailOptions['attachments']>

/**
 * The files of a queued mail, read a piece at a time while it is sent. They are found by the reply, not by the queue: a queued
 * mail can only take the files of its own reply, to the reply's own recipient.
 * @returns undefined when they are gone
 */
export async function findMailFiles(ctx: Context, mail: OutgoingMail): Promise<MailFiles | undefined> {
  const { id, workspaceId, toAddress, attachmentCount = 0 } = mail
  if (attachmentCount === 0 || mail.kind !== MailKind.REPLY) return []
  const reply = await ctx.replies.findOne({ _id: id, workspaceId, to: toAddress }, { attachments: 1 }).lean()
  if (reply?.attachments?.length !== attachmentCount) return undefined
  return reply.attachments.map(({ file, filename, contentType, size }) => ({
    filename,
    contentType,
    content: Readable.from(readPieces(ctx, { _id: file, size })),
  }))
}
