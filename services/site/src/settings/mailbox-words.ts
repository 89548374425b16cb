import { type FetchedMailbox, MailboxAction, MailboxProblem, MailboxState } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'

/** Where fetching is, in words. */
export function stateWords(mailbox: FetchedMailbox, clock: ReaderClock): Html {
  const { state, nextTryAt, checkedAt, fetched } = mailbox
  switch (state) {
    case MailboxState.WORKING:
      return html`<p class="hint">Working${checkedAt && html`. Up to date ${whenOf(checkedAt, clock)}`}. ${countWords(mailbox)}</p>`
    case MailboxState.NOT_CONNECTED:
      return html`<p class="error">Not connected yet.</p>`
    case MailboxState.PAUSED:
      return html`<p class="hint">Paused. ${countWords(mailbox)}</p>`
    case MailboxState.GIVEN_UP:
      return html`<p class="error">Paused after many failures. ${problemWords(mailbox)}</p>`
    case MailboxState.FAILING:
      return html`<p class="error">${problemWords(mailbox)}${nextTryAt && html` Next try: ${whenOf(nextTryAt, clock)}.`}</p>`
    default:
      return html`<p class="hint">${fetched === 0 ? 'Connecting. Reload this page in a moment.' : html`Fetching. ${countWords(mailbox)}`}</p>`
  }
}

function countWords({ fetched, tooLarge }: FetchedMailbox): string {
  const messages = fetched === 1 ? '1 message fetched.' : `${fetched} messages fetched.`
  return tooLarge === 0 ? messages : `${messages} ${tooLarge} too large to fetch.`
}

const AT_SERVER = 'The mail server had a problem.'

const PROBLEMS: Record<MailboxProblem, (mailbox: FetchedMailbox) => Html | string> = {
  [MailboxProblem.PASSWORD]: () =>
    'The server refused the user name or the password. Most providers need an app password, not the one you sign in with.',
  [MailboxProblem.UNREACHABLE]: () => 'The mail server can’t be reached. Check its name.',
  [MailboxProblem.CERTIFICATE]: () =>
    'The server’s certificate isn’t valid for this name, so the password was not sent. Check the name and the encryption.',
  [MailboxProblem.FOLDER]: ({ server }) =>
    html`There is no folder “<bdi>${server?.folder}</bdi>” in this mailbox. Check its name.`,
  [MailboxProblem.MOVE_FOLDER]: ({ handling }) =>
    html`Messages can’t be moved to “<bdi>${handling?.moveTo}</bdi>”. Create this folder in the mailbox.`,
  [MailboxProblem.PRIVATE_HOST]: () =>
    'This server is on a private network. Mail is fetched only from servers on the internet.',
  [MailboxProblem.STORAGE_FULL]: () =>
    'Your family’s storage is full. Delete mail to make space. The rest is fetched then.',
  [MailboxProblem.TOO_MUCH_MAIL]: () => 'More mail came in an hour than an inbox accepts. The rest is fetched later.',
  [MailboxProblem.INBOX_GONE]: () => 'This inbox was removed.',
  [MailboxProblem.SERVER]: () => AT_SERVER,
  [MailboxProblem.CONSENT]: ({ server }) =>
    html`The provider no longer lets us read this mailbox. Connect it again, and sign in as <bdi>${server?.userName}</bdi>.`,
  [MailboxProblem.UNSPECIFIED]: () => AT_SERVER,
  [MailboxProblem.UNRECOGNIZED]: () => AT_SERVER,
}

function problemWords(mailbox: FetchedMailbox): Html {
  return html`${PROBLEMS[mailbox.problem](mailbox)}`
}

/** What is fetched and what happens to it, in a line. */
export function handlingWords({ handling }: FetchedMailbox): Html {
  const { action, moveTo = '', senders = [] } = handling ?? {}
  const whose = senders.length === 0 ? 'All new mail' : html`Only mail from <bdi>${senders.join(', ')}</bdi>`
  if (action === MailboxAction.MARK_READ) return html`${whose}. Fetched messages are marked as read there.`
  if (action === MailboxAction.MOVE) return html`${whose}. Fetched messages move to “<bdi>${moveTo}</bdi>” there.`
  return html`${whose}. Nothing changes there.`
}
