import {
  type FetchedMailbox,
  MailboxAction,
  MailboxEncryption,
  MailboxProblem,
  MailboxState,
} from '@family-inbox/proto/inbox/v1/inbox'
import test from 'ava'
import { handlingWords, stateWords } from './mailbox-words.ts'

const mailbox: FetchedMailbox = {
  id: 'mbx_1',
  lovedOneId: 'lo_1',
  server: {
    host: 'imap.example.org',
    port: 993,
    encryption: MailboxEncryption.TLS,
    userName: 'rosa',
    folder: 'Care',
    authservId: '',
  },
  handling: { action: MailboxAction.MOVE, moveTo: 'Done', senders: [], withEarlier: false },
  state: MailboxState.FAILING,
  problem: MailboxProblem.PASSWORD,
  nextTryAt: undefined,
  checkedAt: undefined,
  fetched: 1,
  tooLarge: 0,
  oauthProvider: '',
}
const clock = { locale: 'en-US', timeZone: 'UTC', now: new Date('2026-06-01T12:00:00Z') }
const words = (more: Partial<FetchedMailbox>) =>
  stateWords({ ...mailbox, ...more }, clock).text.replaceAll(/<[^>]*>/g, '')

test('the family reads why a mailbox fails and what to do', (t) => {
  t.regex(words({}), /^The server refused the user name or the password\. Most providers need an app password/)
  t.regex(words({ problem: MailboxProblem.FOLDER }), /no folder “Care” in this mailbox/)
  t.regex(words({ problem: MailboxProblem.MOVE_FOLDER }), /can’t be moved to “Done”/)
  t.regex(words({ problem: MailboxProblem.CERTIFICATE }), /certificate isn’t valid for this name/)
  t.regex(words({ problem: MailboxProblem.UNREACHABLE }), /can’t be reached/)
  t.regex(words({ nextTryAt: new Date('2026-06-01T12:05:00Z') }), /Next try: today 12:05 PM UTC\.$/)
  t.regex(words({ state: MailboxState.GIVEN_UP }), /^Paused after many failures\. The server refused/)
})

test('the family reads how far fetching is', (t) => {
  const working = { state: MailboxState.WORKING, problem: MailboxProblem.UNSPECIFIED, tooLarge: 2 }
  t.is(
    words({ ...working, checkedAt: new Date('2026-06-01T11:00:00Z') }),
    'Working. Up to date today 11:00 AM UTC. 1 message fetched. 2 too large to fetch.',
  )
  t.is(words({ state: MailboxState.CONNECTING, fetched: 250 }), 'Fetching. 250 messages fetched.')
  t.is(words({ state: MailboxState.CONNECTING, fetched: 0 }), 'Connecting. Reload this page in a moment.')
  t.regex(handlingWords(mailbox).text, /^All new mail\. Fetched messages move to “<bdi>Done<\/bdi>” there\.$/)
})
