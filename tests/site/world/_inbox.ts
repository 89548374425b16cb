import { senderCheck } from '@family-inbox/mail-reader/authenticity/sender-check'
import {
  type Attachment,
  type BrowseMessagesRequest,
  type CalendarLoss,
  type CalendarTask,
  Category,
  type Correspondent,
  DeliveryState,
  type FetchedMailbox,
  type GetForwardingResponse,
  type GetSenderFilterResponse,
  type InboxEntry,
  type InboxServiceService,
  type Invitation,
  type ListCalendarRequestsResponse,
  type MessageSummary,
  type OpenMessageAsideResponse,
  type OpenMessageResponse,
  PreviewKind,
  type SensitiveAsk,
} from '@family-inbox/proto/inbox/v1/inbox'
import { requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import type { Handlers } from '@family-inbox/service-kit/rpc/serve'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { World } from '../_world.ts'

/** A family's mail, which a test can change. */
export type InboxWorld = {
  messages: { entry: InboxEntry; open: OpenMessageResponse }[]
  nextPageToken: string
  unread: number
  forwarding: Omit<GetForwardingResponse, 'address'>
  /** In every calendar file. */
  invitation?: Invitation
  tasks?: CalendarTask[]
  /** Of every calendar file. */
  losses?: CalendarLoss[]
  /** Of every message with one. */
  calendar?: ListCalendarRequestsResponse
  aside: OpenMessageAsideResponse[]
  filter: GetSenderFilterResponse
  mailboxes: FetchedMailbox[]
  correspondents: Correspondent[]
}

/** One gray pixel. */
const GRAY_JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAgAAAQABAAD/wAARCAABAAEDAREAAhEBAxEB/9sAQwAbEhQXFBEbFxYXHhwbIChCKyglJShROj0wQmBVZWRfVV1baniZgWpxkHNbXYW1hpCeo6utq2eAvMm6pseZqKuk/9sAQwEcHh4oIyhOKytOpG5dbqSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSk/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwDSoA//2Q==',
  'base64',
)

export function newInbox(): InboxWorld {
  return {
    messages: [],
    aside: [],
    filter: { blocked: [], only: [] },
    mailboxes: [],
    correspondents: [],
    nextPageToken: '',
    unread: 0,
    forwarding: {
      confirmation: undefined,
      confirmationReceivedAt: undefined,
      confirmationAuthentic: undefined,
      confirmationMessageId: '',
      testMail: undefined,
      hasMail: false,
    },
  }
}

type Letter = Omit<Partial<MessageSummary>, 'sender' | 'asksFor'> & {
  asksFor?: SensitiveAsk[]
  from: string
  address?: string
  lovedOneId?: string
  unread?: boolean
  replied?: boolean
  repliedBy?: string[]
  turnCount?: number
  body?: string
  more?: Partial<OpenMessageResponse>
  attachments?: Attachment[]
}

/** Builds a message from the relevant fields. */
export function letter(
  id: string,
  { from, address = 'desk@clinic.example', ...rest }: Letter,
): InboxWorld['messages'][0] {
  const {
    lovedOneId = 'lo_rosa',
    unread = false,
    replied = false,
    repliedBy = [],
    turnCount = 1,
    body = '',
    more = {},
    attachments = [],
    ...summary
  } = rest
  const authenticity = more.authenticity ?? { spf: 'pass', dkim: 'pass', dmarc: 'pass', arc: 'none' }
  const message: MessageSummary = {
    id,
    subject: 'Good day',
    originalSender: undefined,
    category: Category.OTHER,
    preview: body.replaceAll('\n', ' ').slice(0, 280),
    receivedAt: new Date(),
    attachmentCount: attachments.length,
    asksFor: [],
    check: senderCheck(authenticity.dmarc === 'pending' ? undefined : authenticity),
    ...summary,
    sender: { name: from, address },
  }
  const forwardingConfirmation = more.forwardingConfirmation !== undefined
  return {
    entry: { message, lovedOneId, unread, replied, repliedBy, turnCount, forwardingConfirmation, authenticity },
    open: {
      message,
      to: [],
      replyTo: address,
      replyRefusal: '',
      body,
      bodyTruncated: false,
      proposals: [],
      hasMarkup: false,
      showLayoutFirst: false,
      attachments,
      authenticity,
      forwardingConfirmation: undefined,
      sentAt: message.receivedAt,
      rearrangements: [],
      others: [],
      replies: [],
      readBy: [],
      writerIds: [],
      notes: [],
      deletedNotes: [],
      deletedReplies: [],
      reminders: [],
      ...more,
    },
  }
}

export function inboxPageHandlers(world: World): Partial<Handlers<typeof InboxServiceService>> {
  const find = ({ lovedOneId, messageId }: { lovedOneId: string; messageId: string }) => {
    const found = world.inbox.messages.find(
      ({ entry }) => entry.lovedOneId === lovedOneId && entry.message?.id === messageId,
    )
    if (found) return found
    throw new StatusError('NOT_FOUND', 'There is no message with this messageId.', { field: 'messageId' })
  }
  const browse = ({ lovedOneId, search, unread, category, pageToken }: BrowseMessagesRequest) => {
    const { messages, nextPageToken, unread: count } = world.inbox
    const entries = messages
      .filter(({ entry }) => lovedOneId === '' || entry.lovedOneId === lovedOneId)
      .filter(({ entry }) => !unread || entry.unread)
      .filter(({ entry }) => category === Category.UNSPECIFIED || entry.message?.category === category)
      .filter(({ open }) => `${open.message?.subject} ${open.body}`.toLowerCase().includes(search.toLowerCase()))
      .map(({ entry }) => entry)
    if (pageToken !== '' && pageToken !== nextPageToken) throw invalidArgument('cursor', 'cursor is no cursor.')
    const counts = world.lovedOnes.slice(0, 1).map(({ id }) => ({ lovedOneId: id, count }))
    return { entries, nextPageToken, unread: counts }
  }
  return {
    async browseMessages(request, call) {
      requirePrincipal(call)
      return browse(request)
    },
    async openMessage({ list, ...request }, call) {
      requirePrincipal(call)
      const { open } = find(request)
      return { ...open, list: list && !world.isOlder ? browse(list) : undefined }
    },
    async renderMessage(request, call) {
      requirePrincipal(call)
      return { html: `<p>${find(request).open.body}</p>`, remoteContentRemoved: true }
    },
    async *previewAttachment(request, call) {
      requirePrincipal(call)
      const kind = find(request).open.attachments[request.index]?.preview
      if (kind === PreviewKind.INVITATION)
        yield {
          drawing: undefined,
          invitation: world.inbox.invitation,
          losses: world.inbox.losses ?? [],
          tasks: world.inbox.tasks ?? [],
        }
      const pageCount = kind === PreviewKind.PAGES ? 2 : 0
      yield {
        drawing: { jpeg: GRAY_JPEG, width: 990, height: 1400, pageCount },
        invitation: undefined,
        losses: [],
        tasks: [],
      }
    },
    async replyToMessage({ body, undoSeconds = 0, ...request }, call) {
      requirePrincipal(call)
      const { open } = find(request)
      if (body.trim() === '') throw invalidArgument('body', 'body is required.')
      open.draft = undefined
      open.replies.push({
        id: `rep_${open.replies.length}`,
        personId: world.person.id,
        name: world.person.name,
        to: open.replyTo,
        body,
        sentAt: new Date(),
        delivery: DeliveryState.QUEUED,
        copies: [],
        messageId: request.messageId,
        undoUntil: new Date(Date.now() + undoSeconds * 1000),
      })
      return { replyId: 'rep_1', to: open.replyTo, queuedAt: new Date() }
    },
    async listCalendarRequests(_request, call) {
      requirePrincipal(call)
      return world.inbox.calendar ?? { requests: [], answers: [] }
    },
    async writeMessage({ to, subject }, call) {
      requirePrincipal(call)
      if (!world.inbox.correspondents.some(({ address }) => address === to))
        throw invalidArgument('to', 'to must be known.')
      if (subject.trim() === '') throw invalidArgument('subject', 'subject is required.')
      return { replyId: 'rep_new', messageId: 'msg_new' }
    },
    async listCorrespondents(_request, call) {
      requirePrincipal(call)
      return { correspondents: world.inbox.correspondents }
    },
    async listMailDrafts(_request, call) {
      requirePrincipal(call)
      return { drafts: [] }
    },
    async removeCorrespondent({ address }, call) {
      requirePrincipal(call)
      world.inbox.correspondents = world.inbox.correspondents.filter((one) => one.address !== address)
      return {}
    },
    async forwardMessage({ to, body, parts, ...request }, call) {
      requirePrincipal(call)
      const { open } = find(request)
      if (!to.includes('@')) throw invalidArgument('to', 'to must be an email address.')
      open.replies.push({
        id: `rep_${open.replies.length}`,
        personId: world.person.id,
        name: world.person.name,
        to,
        body,
        sentAt: new Date(),
        delivery: DeliveryState.QUEUED,
        copies: [],
        messageId: request.messageId,
        undoUntil: undefined,
        forwarded: parts,
      })
      return { replyId: 'rep_1', to }
    },
    async answerCalendarRequest(_request, call) {
      requirePrincipal(call)
      throw new StatusError(
        'FAILED_PRECONDITION',
        'Luis Martin already told desk@clinic.example that your family can’t come.',
      )
    },
    async saveDraft({ body, ...request }, call) {
      requirePrincipal(call)
      find(request).open.draft = body.trim() || undefined
      return {}
    },
    async undoReply({ replyId }, call) {
      requirePrincipal(call)
      for (const { open } of world.inbox.messages)
        for (const reply of open.replies.splice(0)) {
          if (reply.id === replyId) open.draft = reply.body
          else open.replies.push(reply)
        }
      return {}
    },
    async changeCategory({ category, ...request }, call) {
      requirePrincipal(call)
      const { entry } = find(request)
      if (entry.message) entry.message.category = category
      return {}
    },
    async listMessagesAside({ place }, call) {
      requirePrincipal(call)
      const all = world.inbox.aside.flatMap(({ message }) => message ?? [])
      return { messages: all.filter((message) => message.place === place), nextPageToken: '' }
    },
    async openMessageAside({ messageId }, call) {
      requirePrincipal(call)
      const opened = world.inbox.aside.find(({ message }) => message?.id === messageId)
      if (opened === undefined) throw new StatusError('NOT_FOUND', 'No such message.')
      return opened
    },
    async getSenderFilter(_request, call) {
      requirePrincipal(call)
      return world.inbox.filter
    },
    async listMailboxes(_request, call) {
      requirePrincipal(call)
      return { mailboxes: world.inbox.mailboxes, oauthProviders: ['microsoft'] }
    },
    async beginMailboxConsent(_request, call) {
      requirePrincipal(call)
      const authorizationUrl = 'https://login.microsoftonline.com/'
      return { authorizationUrl, oauthProvider: 'microsoft', userName: 'rosa@outlook.example' }
    },
    async addMailbox(_request, call) {
      requirePrincipal(call)
      throw invalidArgument('userName', 'userName is required.')
    },
    async blockSender(_request, call) {
      requirePrincipal(call)
      throw invalidArgument('sender', 'sender must be an address.')
    },
    async markMessage({ read, ...request }, call) {
      requirePrincipal(call)
      find(request).entry.unread = !read
      return {}
    },
    async markAllRead(_request, call) {
      requirePrincipal(call)
      world.inbox.unread = 0
      for (const { entry } of world.inbox.messages) entry.unread = false
      return {}
    },
    async getForwarding({ lovedOneId }, call) {
      requirePrincipal(call)
      const lovedOne = world.lovedOnes.find(({ id }) => id === lovedOneId)
      return { ...world.inbox.forwarding, address: lovedOne?.address ?? '' }
    },
    async sendTestMail(_request, call) {
      requirePrincipal(call)
      const testMail = { id: 'tst_1', sentAt: new Date(), delivery: DeliveryState.SENT, arrivedAt: undefined }
      world.inbox.forwarding.testMail = testMail
      return { testMail }
    },
  }
}
