import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import {
  Category,
  DeliveryState,
  InvitationState,
  PreviewKind,
  SenderCheck,
  SensitiveAsk,
} from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Page } from 'playwright-core'
import type { World } from '../_world.ts'
import { letter } from '../world/_inbox.ts'
import { fails, follow, type Scene, submit } from './_scene.ts'

const HOUR = 3_600_000
const ago = (hours: number) => new Date(Date.now() - hours * HOUR)

const CARDIOLOGY = `Dear Ana,

the results of your mother's blood test of 6 May are in. Her kidney values are a little better than in March (creatinine 1.3 mg/dl, eGFR 48). The potassium is fine.

Please keep the medication as it is. We would like to see her again in three months; the front desk will send an appointment. If she feels dizzy or her legs swell, call us at once: +351 21 555 01 00.

You can see all values at https://portal.cardio-lisboa.example/results/2291 .

Kind regards
Dr. Inês Carvalho
Cardiology, Hospital da Luz`

const pdf = {
  filename: 'Blood test 6 May.pdf',
  contentType: 'application/pdf',
  size: 184_320,
  inline: false,
  preview: PreviewKind.PAGES,
}
const picture = {
  filename: 'Referral – scan.jpg',
  contentType: 'image/jpeg',
  size: 2_412_032,
  inline: false,
  preview: PreviewKind.PICTURE,
}
const calendar = {
  filename: 'invite.ics',
  contentType: 'text/calendar',
  size: 1204,
  inline: false,
  preview: PreviewKind.INVITATION,
}

/** A typical week of mail. */
export function fullInbox(world: World): void {
  world.lovedOnes = [
    { id: 'lo_rosa', name: 'Rosa Martin', address: 'rosa-7k2m9q4x@family-inbox.test' },
    { id: 'lo_joao', name: 'João da Silva', address: 'joao-2f8w4n6p@family-inbox.test' },
  ]
  world.inbox.unread = 3
  world.inbox.nextPageToken = 'older'
  world.inbox.messages = [
    letter('msg_results', {
      from: 'Luis Martin',
      address: 'luis@example.org',
      originalSender: { name: 'Dr. Inês Carvalho', address: 'carvalho@cardio-lisboa.example' },
      subject: 'Results of the blood test',
      category: Category.RESULTS,
      receivedAt: ago(1),
      unread: true,
      body: CARDIOLOGY,
      attachments: [pdf, picture],
      more: {
        hasMarkup: true,
        replyTo: 'carvalho@cardio-lisboa.example',
        authenticity: { spf: 'fail', dkim: 'none', dmarc: 'none', arc: 'none' },
        readBy: [{ personId: 'per_luis', readAt: ago(0.5) }],
      },
    }),
    letter('msg_pharmacy', {
      from: 'Farmácia Central',
      subject: 'Your prescription is ready to be collected',
      category: Category.MEDICATION,
      receivedAt: ago(3),
      unread: true,
      body: 'Metformin 500 mg, 60 tablets, is ready for Rosa Martin. We keep it until Friday. Please bring the health card.',
    }),
    letter('msg_visit', {
      from: 'Sunrise Home Care',
      lovedOneId: 'lo_joao',
      subject: 'Visit plan for next week',
      category: Category.CARE_PLAN,
      receivedAt: ago(26),
      unread: true,
      replied: true,
      repliedBy: ['Luis Martin'],
      turnCount: 3,
      body: 'Mondays and Thursdays at 9:00 as agreed. On Wednesday somebody else comes, since Marta is away.',
      attachments: [pdf],
    }),
    letter('msg_insurance', {
      from: 'Multicare',
      subject: 'Explanation of benefits: claim 88 12 004',
      category: Category.INSURANCE,
      receivedAt: ago(50),
      body: 'We have paid 82,40 € to Hospital da Luz. Your share is 12,00 €. This is not a bill.',
    }),
    letter('msg_appointment', {
      from: 'Hospital da Luz',
      subject: 'Appointment with Dr. Carvalho on 14 August at 10:20',
      category: Category.APPOINTMENT,
      receivedAt: ago(24 * 9),
      body: 'Please come fifteen minutes early and bring a list of all medication.',
      replied: true,
    }),
    letter('msg_newsletter', {
      from: 'Associação Alzheimer',
      subject: 'A week of rest for those who care: what there is near you',
      category: Category.AUTOMATED,
      receivedAt: ago(24 * 40),
      body: 'Places are free in September. Ask us how to apply, and what the insurance pays for.',
    }),
  ]
  world.members = [
    {
      personId: 'per_luis',
      name: 'Luis Martin',
      email: 'luis@example.org',
      role: Role.COORDINATOR,
      relationship: 'son',
      status: 'MEMBER_STATUS_ACTIVE',
      invitationId: '',
      joinedAt: new Date('2026-01-05T10:00:00Z'),
      expiresAt: undefined,
    },
  ]
}

function scam(world: World): void {
  fullInbox(world)
  world.inbox.messages.unshift(
    letter('msg_scam', {
      from: 'Medicare Benefits Center',
      address: 'benefits@medicare-cards.example',
      subject: 'Your new Medicare card is waiting',
      receivedAt: ago(1),
      asksFor: [SensitiveAsk.IDENTITY_NUMBER, SensitiveAsk.ACCOUNT_NUMBER],
      body: `Dear member,

your new Medicare card is ready. To receive it, please confirm your Medicare number and your bank account at
https://medicare-cards.example/confirm within 24 hours. Otherwise your benefits will be suspended and your card is returned.

Benefits Center`,
      more: { authenticity: { spf: 'none', dkim: 'none', dmarc: 'none', arc: 'none' } },
    }),
  )
}

function viewer(world: World): void {
  fullInbox(world)
  world.workspaces = [{ id: 'ws_martin', name: 'The Martin family', role: Role.VIEWER }]
}

function answered(world: World): void {
  fullInbox(world)
  const [results] = world.inbox.messages
  const reply = {
    personId: 'per_luis',
    name: 'Luis Martin',
    to: 'carvalho@cardio-lisboa.example',
    messageId: 'msg_results',
  }
  if (!results) return
  Object.assign(results.entry, {
    turnCount: 7,
    replied: true,
    repliedBy: ['Luis Martin', 'Ana Martin'],
    hasDraft: true,
  })
  results.open.others = [
    {
      ...conversationMessage('msg_before', 24 * 5, 'We will call you when the values are in.'),
      attachments: [pdf],
      hasDraft: true,
    },
    { ...conversationMessage('msg_after', 0.05, 'One more thing: please bring her glasses.'), unread: true },
  ]
  results.open.replies.push({
    ...reply,
    id: 'rep_0',
    sentAt: ago(24 * 4),
    delivery: DeliveryState.SENT,
    copies: [],
    body: 'Thank you, we will wait for your call.',
  })
  const sent = (id: string, hours: number, delivery: DeliveryState, body: string) =>
    results?.open.replies.push({ ...reply, id, sentAt: ago(hours), delivery, copies: [], body })
  sent('rep_1', 0.9, DeliveryState.SENT, 'Thank you. Should she still take the water tablets in the morning?')
  sent('rep_2', 0.5, DeliveryState.FAILED, 'And is the flu jab all right?')
  sent('rep_3', 0.4, DeliveryState.UNKNOWN, 'We asked the pharmacy about it.')
  for (const one of results?.open.replies.slice(-1) ?? []) one.assistant = 'Claude Code'
  sent('rep_4', 0.01, DeliveryState.QUEUED, 'See you in August.')
}

function conversationMessage(id: string, hours: number, body: string) {
  const { message, authenticity } = letter(id, { from: 'Dr. Inês Carvalho', receivedAt: ago(hours), body }).entry
  return {
    message,
    authenticity,
    body,
    bodyTruncated: false,
    attachments: [],
    unread: false,
    hasDraft: false,
    forwardingConfirmation: false,
  }
}

const filesToSend = {
  files: [
    { id: 'file-1', filename: 'Left ankle, Monday.jpg', contentType: 'image/jpeg', size: 2_412_032 },
    { id: 'file-2', filename: 'Consent form, signed.pdf', contentType: 'application/pdf', size: 184_320 },
  ],
}

function withFiles(world: World): void {
  drafted(world)
  const open = world.inbox.messages.find(({ open }) => open.message?.id === 'msg_results')?.open
  if (open) open.draftAttachments = filesToSend
}

function withSentFiles(world: World): void {
  answered(world)
  for (const { open } of world.inbox.messages) for (const reply of open.replies) reply.attachments = filesToSend
}

function drafted(world: World): void {
  fullInbox(world)
  const [results] = world.inbox.messages
  if (!results) return
  results.open.draft = 'Dear Dr. Carvalho,\n\nthank you. Should she still take the water tablets in the morning?'
  results.open.writerIds = ['per_luis']
  results.open.replyFooter = 'For Rosa Martin, born 4 May 1941'
}

export const invited =
  (state: InvitationState) =>
  (world: World): void => {
    fullInbox(world)
    world.inbox.messages[4]?.open.attachments.push(calendar)
    world.inbox.invitation = {
      uid: '1',
      state,
      summary: 'Cardiology, Dr. Carvalho',
      location: 'Hospital da Luz, floor 2',
      organizer: 'Front desk',
      start: { at: new Date('2027-08-14T09:20:00Z'), local: '' },
      end: { at: new Date('2027-08-14T09:50:00Z'), local: '' },
      frequency: '',
      interval: 1,
      moreEvents: 0,
      link: '',
      note: '',
    }
  }

async function openComposer(page: Page): Promise<void> {
  await page.locator('summary', { hasText: 'Reply' }).click()
}

function openSearch(page: Page): Promise<void> {
  return follow(page, page.getByRole('link', { name: 'Search', exact: true }))
}

function requested(world: World): void {
  world.inbox.messages = [
    letter('msg_request', {
      from: 'Gmail Team',
      address: 'forwarding-noreply@google.com',
      subject: '(#987654321) Gmail Forwarding Confirmation - Receive Mail from rosa@gmail.com',
      category: Category.AUTOMATED,
      unread: true,
      body: 'rosa@gmail.com has requested to automatically forward mail to your email address.\nConfirmation code: 987654321',
      more: {
        forwardingConfirmation: {
          provider: 'gmail',
          code: '987654321',
          link: 'https://mail-settings.google.com/mail/vf-abc',
        },
      },
    }),
  ]
}

const MESSAGE = '/inbox/lo_rosa/msg_results?all=1'
export const INVITATION_PATH = '/inbox/lo_rosa/msg_appointment'

function asks(world: World): void {
  const body = `Dear Ana,\n\nplease let us know by ${ago(-24 * 6)
    .toISOString()
    .slice(0, 10)} if you can come.`
  world.inbox.messages = [letter('msg_results', { from: 'Hospital da Luz', subject: 'Family meeting', body })]
}

export const inboxScenes: Scene[] = [
  { name: 'inbox', signedIn: true, path: '/', arrange: fullInbox },
  { name: 'inbox-one', signedIn: true, path: '/inbox/lo_rosa', arrange: fullInbox },
  { name: 'inbox-empty', signedIn: true, path: '/' },
  { name: 'inbox-nobody', signedIn: true, path: '/', arrange: (world) => void world.lovedOnes.splice(0) },
  { name: 'inbox-older', signedIn: true, path: '/?cursor=older', arrange: fullInbox },
  { name: 'inbox-viewer', signedIn: true, path: '/', arrange: viewer },
  {
    name: 'message-together',
    signedIn: true,
    path: '/inbox/lo_rosa/msg_results/together',
    arrange: fullInbox,
  },
  {
    name: 'inbox-filter',
    signedIn: true,
    path: '/?category=results&attachments=1&since=2020-01-01',
    arrange: fullInbox,
    act: (page) => page.getByText('Filter', { exact: true }).click(),
  },
  {
    name: 'inbox-found',
    signedIn: true,
    path: '/',
    arrange: fullInbox,
    act: async (page) => {
      await openSearch(page)
      await page.getByRole('searchbox').fill('blood test')
      await submit(page, 'Search')
      await page.getByText('“blood test”').waitFor()
    },
  },
  {
    name: 'inbox-search-help',
    signedIn: true,
    path: '/',
    arrange: fullInbox,
    act: openSearch,
  },
  {
    name: 'inbox-search-problem',
    signedIn: true,
    path: '/',
    arrange: fullInbox,
    act: async (page) => {
      await openSearch(page)
      await page.getByRole('searchbox').fill('blood test before:soon')
      await submit(page, 'Search')
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'inbox-found-nothing',
    signedIn: true,
    path: '/',
    arrange: fullInbox,
    act: async (page) => {
      await openSearch(page)
      await page.getByRole('searchbox').fill('dentist')
      await submit(page, 'Search')
      await page.getByText('No messages found').waitFor()
    },
  },
  {
    name: 'inbox-all-read',
    signedIn: true,
    path: '/',
    arrange: fullInbox,
    act: (page) => submit(page, 'Mark all as read'),
  },
  {
    name: 'inbox-away',
    signedIn: true,
    path: '/',
    arrange: (world) => fails(world, 'browseMessages', new StatusError('UNAVAILABLE', 'x')),
  },
  { name: 'message', signedIn: true, path: MESSAGE, arrange: fullInbox },
  { name: 'message-asks', signedIn: true, path: MESSAGE, arrange: asks },
  {
    name: 'message-without-activity',
    signedIn: true,
    path: MESSAGE,
    arrange: (world) => {
      fullInbox(world)
      fails(world, 'listAuditEntries', new StatusError('UNAVAILABLE', 'x'))
    },
    act: (page) => page.getByRole('heading', { name: 'Results of the blood test' }).first().waitFor(),
  },
  {
    name: 'message-shortcuts',
    signedIn: true,
    path: MESSAGE,
    arrange: fullInbox,
    act: async (page) => {
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'message-original-layout',
    signedIn: true,
    path: MESSAGE,
    arrange: fullInbox,
    act: (page) => page.getByText('Show original layout').click(),
  },
  {
    name: 'message-layout-first',
    signedIn: true,
    path: MESSAGE,
    arrange: (world) => {
      fullInbox(world)
      for (const { open } of world.inbox.messages) Object.assign(open, { hasMarkup: true, showLayoutFirst: true })
    },
  },
  {
    name: 'message-pages',
    signedIn: true,
    path: MESSAGE,
    arrange: fullInbox,
    act: async (page) => {
      await page.getByText('Show pages').click()
      await page.frameLocator('.look iframe').first().getByAltText('Page 1 of 2').waitFor()
    },
  },
  {
    name: 'message-invitation',
    signedIn: true,
    path: INVITATION_PATH,
    arrange: invited(InvitationState.CHANGED),
  },
  {
    name: 'message-tasks',
    signedIn: true,
    path: INVITATION_PATH,
    arrange: (world) => {
      invited(InvitationState.CHANGED)(world)
      world.inbox.invitation = undefined
      world.inbox.tasks = [
        { text: 'Bring the list of medication', day: '2027-08-13' },
        { text: 'Sign the consent form', day: '' },
      ]
    },
  },
  {
    name: 'message-invitation-canceled',
    signedIn: true,
    path: INVITATION_PATH,
    arrange: invited(InvitationState.CANCELED),
  },
  {
    name: 'message-invitation-late',
    signedIn: true,
    path: INVITATION_PATH,
    arrange: (world) => {
      invited(InvitationState.CHANGED)(world)
      fails(world, 'listCalendarRequests', new StatusError('UNAVAILABLE', 'x'))
    },
    act: (page) => page.getByText('taking a while').waitFor(),
  },
  { name: 'message-answered', signedIn: true, path: MESSAGE, arrange: answered },
  { name: 'inbox-conversation', signedIn: true, path: '/', arrange: answered },
  {
    name: 'message-long-conversation',
    signedIn: true,
    path: MESSAGE,
    arrange: (world) => {
      fullInbox(world)
      const others = Array.from({ length: 12 }, (_, index) =>
        conversationMessage(
          `msg_${index}`,
          24 * (14 - index),
          `Message ${index + 1} about the blood test and what comes next.`,
        ),
      )
      for (const { open } of world.inbox.messages.slice(0, 1)) open.others = others
    },
  },
  {
    name: 'message-unfolded',
    signedIn: true,
    path: MESSAGE,
    arrange: answered,
    act: (page) => page.locator('.earlier summary').first().click(),
  },
  {
    name: 'message-reply-error',
    signedIn: true,
    path: MESSAGE,
    arrange: fullInbox,
    act: async (page) => {
      await openComposer(page)
      await submit(page, 'Send reply')
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'message-reply', signedIn: true, path: MESSAGE, arrange: fullInbox, act: openComposer },
  { name: 'message-draft', signedIn: true, path: MESSAGE, arrange: drafted },
  {
    name: 'message-reply-files',
    signedIn: true,
    path: MESSAGE,
    arrange: withFiles,
  },
  { name: 'message-reply-files-sent', signedIn: true, path: MESSAGE, arrange: withSentFiles },
  {
    name: 'message-quote',
    signedIn: true,
    path: MESSAGE,
    arrange: drafted,
    act: async (page) => {
      await submit(page, 'Include their message')
      await page.getByText('> Dear Ana,').waitFor()
    },
  },
  {
    name: 'message-reply-held',
    signedIn: true,
    path: MESSAGE,
    arrange: drafted,
    act: async (page) => {
      await submit(page, 'Send reply')
      await page.getByRole('button', { name: 'Undo', exact: true }).waitFor()
    },
  },
  {
    name: 'message-reply-undone',
    signedIn: true,
    path: MESSAGE,
    arrange: drafted,
    act: async (page) => {
      await submit(page, 'Send reply')
      await submit(page, 'Undo')
      await page.getByText('Your reply was not sent').waitFor()
    },
  },
  {
    name: 'message-reply-signed-out',
    signedIn: true,
    // Its text stays in the browser, where other scenes must not find it.
    path: '/inbox/lo_joao/msg_visit',
    arrange: fullInbox,
    act: async (page) => {
      await openComposer(page)
      await page.getByLabel('Your reply').fill('Thank you. Please tell Marta we say hello.')
      await page.context().clearCookies()
      await submit(page, 'Send reply')
      await page.getByRole('heading', { name: 'Your reply was not sent' }).waitFor()
    },
  },
  {
    name: 'message-not-vouched-for',
    signedIn: true,
    path: MESSAGE,
    arrange: (world) => {
      fullInbox(world)
      const authenticity = { spf: 'fail', dkim: 'none', dmarc: 'fail', arc: 'none' }
      for (const { open } of world.inbox.messages) {
        open.authenticity = authenticity
        if (open.message) open.message.check = SenderCheck.FAILED
      }
    },
    act: (page) => page.locator('#message').getByText('Sender check failed').click(),
  },
  { name: 'message-scam', signedIn: true, path: '/inbox/lo_rosa/msg_scam', arrange: scam },
  { name: 'message-viewer', signedIn: true, path: MESSAGE, arrange: viewer },
  { name: 'message-request', signedIn: true, path: '/inbox/lo_rosa/msg_request', arrange: requested },
  { name: 'message-missing', signedIn: true, path: '/inbox/lo_rosa/msg_gone', arrange: fullInbox },
]
