import type { InboxEntry, OpenMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { messageIdsOf, messagePath } from '../shell/inbox-paths.ts'
import { whenOf } from '../shell/moment.ts'
import { sectionPage } from '../shell/page.ts'
import { withQuery } from '../shell/parts.ts'
import { readerOf, sealWords } from '../shell/sealed-words.ts'
import { asPerson } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import {
  requireLovedOne,
  requireWriter,
  undefinedIfMissing,
  type Workspace,
  type WorkspaceHandler,
} from '../shell/workspace.ts'
import { backToMessage, type MailList, readListQuery, readMailList } from './mail-list.ts'
import { messageMissing } from './read-message.ts'
import { senderName } from './sender.ts'

const CHOOSE = { with: 'Choose a conversation' }

/** Offers the recent conversations of the same inbox, or those that a search finds. */
export function showPutTogether(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    return chooseReply(ctx, visit, workspace)
  }
}

/** Leads to what was searched for. The words are sealed in the address. */
export function searchConversations(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const words = visit.field('words').trim().slice(0, 200)
    const sealed = words === '' ? '' : sealWords(words, readerOf(ctx, visit, workspace))
    return { redirectTo: withQuery(`${messagePath(messageIdsOf(visit))}/together`, { words: sealed }) }
  }
}

/** Makes one conversation of two. When somebody else was faster, the message shows who. */
export function putTogether(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const withMessageId = visit.field('with').slice(0, 128)
    if (withMessageId === '') return chooseReply(ctx, visit, workspace, CHOOSE)
    const request = {
      ...messageIdsOf(visit),
      withMessageId,
      seenConversationId: visit.field('seen').slice(0, 128),
    }
    const person = asPerson(workspace.session, visit)
    try {
      const joined = await ctx.inbox.joinConversations(request, person).catch(undefinedIfMissing)
      if (joined === undefined) return messageMissing(workspace)
      return { redirectTo: backToMessage(visit), flash: 'conversations-joined' }
    } catch (error) {
      if (!(error instanceof StatusError) || error.status !== 'FAILED_PRECONDITION') throw error
      if (error.detail.field === 'withMessageId') return chooseReply(ctx, visit, workspace, { with: error.message })
      return { redirectTo: backToMessage(visit), flash: 'someone-was-faster' }
    }
  }
}

/** Makes a message a conversation of its own. */
export function takeOut(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const person = asPerson(workspace.session, visit)
    const taken = await ctx.inbox.takeOutMessage(messageIdsOf(visit), person).catch(undefinedIfMissing)
    if (taken === undefined) return messageMissing(workspace)
    return { redirectTo: backToMessage(visit), flash: 'message-taken-out' }
  }
}

/** Takes back what put conversations together, or took one apart. */
export function undoRearrangement(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const request = { ...messageIdsOf(visit), rearrangementId: visit.field('rearrangement').slice(0, 128) }
    const person = asPerson(workspace.session, visit)
    const undone = await ctx.inbox.undoRearrangement(request, person).catch(undefinedIfMissing)
    if (undone === undefined) return messageMissing(workspace)
    return { redirectTo: backToMessage(visit), flash: 'rearrangement-undone' }
  }
}

async function chooseReply(ctx: Context, visit: Visit, workspace: Workspace, errors: FieldErrors = {}): Promise<Reply> {
  const ids = messageIdsOf(visit)
  const request = { ...ids, markRead: false }
  const opened = await ctx.inbox.openMessage(request, asPerson(workspace.session, visit)).catch(undefinedIfMissing)
  if (opened?.message === undefined) return messageMissing(workspace)
  const { sealedWords } = readListQuery(visit, undefined)
  const none = readListQuery({ query: () => '', clock: visit.clock }, requireLovedOne(workspace, ids.lovedOneId))
  const list = await readMailList(ctx, visit, workspace, { ...none, sealedWords })
  const hasErrors = Object.keys(errors).length > 0
  const title = 'Put with another conversation'
  const main = html`<p class="up"><a href="${messagePath(ids)}">Message</a></p>
${errorSummary(errors)}
<h1>${title}</h1>
<p>“<bdi>${opened.message.subject || 'No subject'}</bdi>” and the conversation you choose become one, for everyone.</p>
<form method="post" action="${messagePath(ids)}/together/search">
${textField({ name: 'words', label: 'Search', value: list.words, maxlength: 200 })}
<div class="row"><button class="second">Search</button></div>
</form>
${choices(visit, opened, list, errors)}`
  return { page: sectionPage({ id: 'inbox', workspace }, { title, hasErrors, main }), status: hasErrors ? 422 : 200 }
}

function choices(visit: Visit, opened: OpenMessageResponse, { entries, words }: MailList, errors: FieldErrors): Html {
  const own = new Set([opened.message?.id, ...opened.others.map(({ message }) => message?.id)])
  const others = entries.filter(({ message }) => !own.has(message?.id))
  const path = messagePath(messageIdsOf(visit))
  if (others.length === 0)
    return html`<p>${words === '' ? 'There is no other conversation in this inbox.' : 'No messages found.'} <a href="${path}">Go back</a></p>`
  return html`<form class="after-search" method="post" action="${path}/together" novalidate>
<input type="hidden" name="seen" value="${opened.conversationId}">
<fieldset class="radios" id="with"><legend>${words === '' ? 'Recent conversations' : 'Found conversations'}</legend>
${errors.with && html`<p class="error"><span class="unseen">Error: </span>${errors.with}</p>`}
${others.map((entry) => choice(entry, visit))}
</fieldset>
<div class="row"><button>Put together</button> <a href="${path}">Go back</a></div>
</form>`
}

function choice({ message }: InboxEntry, { clock }: Visit): Html {
  const { id, subject, sender, receivedAt } = message ?? {}
  return html`<label class="tick"><input type="radio" name="with" value="${id}"> <span><bdi>${subject || 'No subject'}</bdi><span class="hint"><bdi>${senderName(sender)}</bdi>${receivedAt && html` · ${whenOf(receivedAt, clock)}`}</span></span></label>`
}
