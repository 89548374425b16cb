import { fieldText, type HeaderField, readHeaderFields } from '@family-inbox/mail-reader/mime/header-fields'
import { parseMailboxes } from '@family-inbox/mail-reader/mime/message-fields'
import { findRecipient, type SecretRecipient } from '../arriving/accept-recipient.ts'
import type { Context } from '../context.ts'
import type { FetchedMailbox } from '../models/mailbox.ts'
import { wholeLocalPart } from '../own-address.ts'

/** Where mail servers note whom a mail was delivered to. Each adds its own on top. */
const NOTED_BY_SERVERS = ['x-original-to', 'delivered-to', 'envelope-to', 'x-envelope-to']
const MAX_NAMED = 10

/**
 * Whom a mail was for that came into a mailbox with many addresses: all of a domain, or all behind its plus. Only the family's
 * own, since its owner decides what the mailbox says. Empty if it names none of them.
 */
export async function findRecipients(
  ctx: Context,
  { workspaceId }: Pick<FetchedMailbox, 'workspaceId'>,
  raw: Buffer,
): Promise<SecretRecipient[]> {
  const { fields } = readHeaderFields(raw, 0, () => false)
  const find = async (address: string) => {
    const found = isOurs(ctx, address) ? await findRecipient(ctx, address) : undefined
    return found !== undefined && isOf(workspaceId, found) ? [found] : []
  }
  for (const address of NOTED_BY_SERVERS.flatMap((name) => addressesIn(fields, name))) {
    const found = await find(address)
    if (found.length > 0) return found
  }
  // A mailbox elsewhere may hold a copy of what comes to our own domain anyway. Behind a plus, there is no other way to us.
  if (ctx.config.mailbox === undefined) return []
  const named = ['to', 'cc'].flatMap((name) => addressesIn(fields, name)).filter((address) => isOurs(ctx, address))
  return (await Promise.all([...new Set(named)].slice(0, MAX_NAMED).map(find))).flat()
}

function addressesIn(fields: HeaderField[], name: string): string[] {
  return parseMailboxes(fieldText(fields, name) ?? '').map(({ address }) => address.toLowerCase())
}

function isOurs({ config }: Context, address: string): boolean {
  return Boolean(wholeLocalPart(address, config))
}

function isOf(workspaceId: string, recipient: SecretRecipient): boolean {
  if ('inbox' in recipient) return recipient.inbox.workspaceId === workspaceId
  // That of a sign-in code is nobody's, and must be in no inbox.
  if ('returned' in recipient) return ['', workspaceId].includes(recipient.returned.workspaceId)
  return 'test' in recipient || recipient.answer.workspaceId === workspaceId
}
