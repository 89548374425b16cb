import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import {
  type FetchedMailbox,
  MailboxAction,
  MailboxEncryption,
  MailboxProblem,
  MailboxState,
} from '@family-inbox/proto/inbox/v1/inbox'
import { fullInbox } from './_inbox.ts'
import { type Scene, submit } from './_scene.ts'

function mailbox(id: string, userName: string, more: Partial<FetchedMailbox>): FetchedMailbox {
  const connection = { port: 993, encryption: MailboxEncryption.TLS, authservId: '' }
  return {
    id,
    lovedOneId: 'lo_rosa',
    server: { ...connection, host: 'imap.gmail.com', userName, folder: 'INBOX' },
    handling: { action: MailboxAction.LEAVE, moveTo: '', senders: [], withEarlier: false },
    state: MailboxState.WORKING,
    problem: MailboxProblem.UNSPECIFIED,
    nextTryAt: undefined,
    checkedAt: new Date('2026-06-01T08:00:00Z'),
    fetched: 214,
    tooLarge: 1,
    oauthProvider: '',
    ...more,
  }
}

const withMailboxes: Scene['arrange'] = (world) => {
  fullInbox(world)
  world.inbox.mailboxes = [
    mailbox('mbx_1', 'rosa.martin.1941@gmail.example', {}),
    mailbox('mbx_2', 'familie.martin@gmx.example', {
      state: MailboxState.FAILING,
      problem: MailboxProblem.MOVE_FOLDER,
      nextTryAt: new Date('2026-06-01T09:10:00Z'),
      handling: {
        action: MailboxAction.MOVE,
        moveTo: 'Fetched for the family',
        senders: ['desk@clinic.example', '@pharmacy.example'],
        withEarlier: true,
      },
    }),
    mailbox('mbx_3', 'rosa@icloud.example', { state: MailboxState.GIVEN_UP, problem: MailboxProblem.PASSWORD }),
    mailbox('mbx_4', 'rosa@outlook.example', {
      state: MailboxState.NOT_CONNECTED,
      oauthProvider: 'microsoft',
      checkedAt: undefined,
      fetched: 0,
      tooLarge: 0,
    }),
  ]
}

const asViewer: Scene['arrange'] = (world) => {
  withMailboxes?.(world)
  world.workspaces = [{ id: 'ws_martin', name: 'The Martin family', role: Role.VIEWER }]
}

const scene = (name: string, path: string, more: Omit<Scene, 'name' | 'path'> = {}): Scene => ({
  name,
  signedIn: true,
  path,
  arrange: withMailboxes,
  ...more,
})

const PATH = '/settings/mailboxes'

export const mailboxScenes: Scene[] = [
  scene('settings-mailboxes', PATH),
  scene('settings-mailboxes-empty', PATH, { arrange: fullInbox }),
  scene('settings-mailboxes-viewer', PATH, { arrange: asViewer }),
  scene('settings-mailboxes-change', PATH, {
    act: (page) => page.locator('summary').first().click(),
  }),
  scene('settings-add-mailbox', `${PATH}/add`),
  scene('settings-add-mailbox-sign-in', `${PATH}/add?with=outlook`),
  scene('settings-connect-mailbox', `${PATH}/mbx_4/connect`),
  scene('settings-add-mailbox-other', `${PATH}/add?with=other`),
  scene('settings-add-mailbox-error', `${PATH}/add?with=fastmail`, { act: (page) => submit(page, 'Add mailbox') }),
]
