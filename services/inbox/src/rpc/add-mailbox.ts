import type { AddMailboxRequest, AddMailboxResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { readHandling, readPassword, readServer } from '../fetching/read-mailbox.ts'
import { requireOwner } from '../fetching/require-owner.ts'
import { NOT_RETIRED } from '../models/inbox-address.ts'
import type { MailboxServer } from '../models/mailbox.ts'
import type { OauthProviderId } from '../oauth-providers.ts'

const MAX_MAILBOXES = 10

/** Adds a mailbox; the page shows whether it can be reached. One with a provider waits until the owner signed in there. Owner only. */
export function addMailbox(ctx: Context): Handler<AddMailboxRequest, AddMailboxResponse> {
  return async (request, call) => {
    const { lovedOneId } = request
    const member = await requireOwner(ctx, call, lovedOneId)
    const { workspaceId } = member
    const written = readServer(request.server, ctx.config.mailboxesOnPrivateHosts)
    const { access, server } = readAccess(ctx, request, written)
    const handling = readHandling(request.handling, server)
    const address = await ctx.inboxAddresses.findOne({ workspaceId, lovedOneId, ...NOT_RETIRED }, { _id: 1 }).lean()
    if (address === null)
      throw new StatusError('FAILED_PRECONDITION', 'This inbox has no active address. Create one first.')
    if ((await ctx.mailboxes.countDocuments({ workspaceId })) >= MAX_MAILBOXES)
      throw new StatusError('RESOURCE_EXHAUSTED', `Your family can add up to ${MAX_MAILBOXES} mailboxes.`)
    const _id = newId('mbx')
    const now = new Date()
    const inbox = { workspaceId, lovedOneId, addressId: address._id }
    const start = { addedAt: now, fetched: 0, tooLarge: 0, failures: 0 }
    await insert(ctx, { _id, ...inbox, server, ...startOf(ctx, _id, access, now), ...handling, ...start })
    ctx.wake.mailboxes()
    await ctx.recordAct(member, { act: 'add_mailbox', detail: { lovedOneId }, once: _id })
    return { mailboxId: _id }
  }
}

type Access = { password: string } | { oauthProvider: OauthProviderId }

function readAccess(ctx: Context, { oauthProvider, password }: AddMailboxRequest, server: MailboxServer) {
  if (oauthProvider === '') return { server, access: { password: readPassword(password) } }
  const id = oauthProvider as OauthProviderId
  const client = ctx.config.mailboxOauth[id]
  if (client === undefined)
    throw invalidArgument('oauthProvider', 'oauthProvider must be one that ListMailboxes names.')
  // Nobody but the provider gets a token for the account.
  return { server: { ...server, host: client.host, encryption: 'tls' as const }, access: { oauthProvider: id } }
}

function startOf({ mailboxSecrets }: Context, id: string, access: Access, now: Date) {
  if ('password' in access) return { sealed: mailboxSecrets.seal(access.password, id), dueAt: now }
  return { ...access, paused: 'notConnected' as const }
}

async function insert({ mailboxes }: Context, row: Parameters<Context['mailboxes']['insertOne']>[0]): Promise<void> {
  try {
    await mailboxes.insertOne(row)
  } catch (error) {
    if (isDuplicateKey(error))
      throw new StatusError('ALREADY_EXISTS', 'Mail of this folder is fetched already. Remove it first to change it.')
    throw error
  }
}
