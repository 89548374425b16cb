import type { Stack } from '@family-inbox/local-stack/run-stack'
import type { StackOptions } from '@family-inbox/local-stack/stack'
import {
  type AddMailboxRequest,
  type FetchedMailbox,
  MailboxAction,
  MailboxEncryption,
  type MailboxHandling,
  type MailboxServer,
  MailboxState,
} from '@family-inbox/proto/inbox/v1/inbox'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import { untilAnswered } from '../_outcome.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { readUntil } from '../_wait.ts'
import { type Account, type Dovecot, HAS_DOVECOT, PASSWORD, startDovecot } from './_dovecot.ts'
import { type LovedOne, openPostOffice, type PostOffice } from './_post-office.ts'
import { type Provider, startProvider } from './_provider.ts'

export type Context = { office: PostOffice<Stack>; dovecot: Dovecot; provider: Provider }

export const isWorking = ({ state }: FetchedMailbox) => state === MailboxState.WORKING

export type Scene = {
  workspaceId: string
  owner: string
  viewer: string
  lovedOne: { id: string; address: string; token: string }
  account: Account
  server: MailboxServer
  add(
    handling?: Partial<MailboxHandling>,
    more?: Partial<MailboxServer> & { password?: string; oauthProvider?: string },
  ): Promise<string>
  /** Waits until the family's mailbox is as asked. */
  see(isRight: (mailbox: FetchedMailbox) => boolean): Promise<FetchedMailbox>
  /** Every one has an inbox; mail of the mailbox goes to the first one's. */
  lovedOnes: LovedOne[]
  subjects(): Promise<string[]>
  /** Waits for these subjects, in any order, and no others. */
  arrived(...subjects: string[]): Promise<void>
  /** The same in the inbox of another loved one. */
  arrivedFor(lovedOne: LovedOne, ...subjects: string[]): Promise<void>
}

/** Shares a real IMAP server and an inbox service of its own among a file's tests, which are skipped without Dovecot. */
export function openMailboxTests(env: StackOptions['env'] = {}) {
  anyTest.before(async (t) => {
    if (!HAS_DOVECOT) return
    const provider = await startProvider()
    const dovecot = await startDovecot(provider.introspectionUrl)
    const serviceEnv = {
      NODE_EXTRA_CA_CERTS: dovecot.caFile,
      MAILBOXES_ON_PRIVATE_HOSTS: 'true',
      MAILBOX_OAUTH_CLIENTS: JSON.stringify({ microsoft: { ...provider.client, host: dovecot.host } }),
    }
    t.context = { provider, dovecot, office: await openPostOffice({ separate: ['inbox'], serviceEnv, env }) }
  })
  anyTest.after.always(async (t) => {
    const { office, dovecot, provider } = t.context as Partial<Context>
    await office?.[Symbol.asyncDispose]()
    await dovecot?.[Symbol.asyncDispose]()
    await provider?.[Symbol.asyncDispose]()
  })
  return (HAS_DOVECOT ? anyTest.serial : anyTest.serial.skip) as TestFn<Context>
}

/** A new family with one loved one or more, and a new account on the IMAP server. */
export async function newScene({ office, dovecot }: Context, count = 1): Promise<Scene> {
  const { workspaceId, owner, viewer, lovedOnes } = await office.family(count)
  const [{ id, address } = { id: '', address: '' }] = lovedOnes
  const lovedOne = { id, address, token: owner }
  const userName = `rosa-${randomText(6)}`
  const account = dovecot.account(userName)
  const server = {
    host: dovecot.host,
    port: dovecot.tlsPort,
    encryption: MailboxEncryption.TLS,
    userName,
    folder: '',
    authservId: '',
  }
  const subjectsOf = async (one: LovedOne) =>
    (await office.messages({ ...one, token: owner })).map(({ subject }) => subject)
  const arrivedFor = async (one: LovedOne, ...expected: string[]) => {
    const sorted = JSON.stringify(expected.sort())
    await readUntil(
      () => subjectsOf(one),
      (found) => JSON.stringify(found.sort()) === sorted,
    )
  }
  return {
    workspaceId,
    owner,
    viewer,
    lovedOne,
    account,
    server,
    lovedOnes,
    subjects: () => subjectsOf(lovedOne),
    arrivedFor,
    async add(handling = {}, { password = PASSWORD, oauthProvider = '', ...more } = {}) {
      const wanted = { action: MailboxAction.LEAVE, moveTo: '', senders: [], withEarlier: false, ...handling }
      const request = { lovedOneId: id, server: { ...server, ...more }, password, handling: wanted, oauthProvider }
      return addOnce(office, request, owner)
    },
    async see(isRight) {
      const read = async () =>
        (await untilAnswered(() => office.inbox.listMailboxes({}, { token: owner }))).mailboxes[0]
      return (await readUntil(read, (found) => found !== undefined && isRight(found))) as FetchedMailbox
    },
    arrived: (...expected) => arrivedFor(lovedOne, ...expected),
  }
}

/** Adds a mailbox, also when an earlier try did without an answer: one machine runs everything. @returns its id */
export async function addOnce(
  { inbox }: Pick<PostOffice<SharedStack>, 'inbox'>,
  request: AddMailboxRequest,
  token: string,
): Promise<string> {
  try {
    return (await untilAnswered(() => inbox.addMailbox(request, { token }))).mailboxId
  } catch (error) {
    if (!(error instanceof StatusError && error.status === 'ALREADY_EXISTS')) throw error
    const { mailboxes } = await untilAnswered(() => inbox.listMailboxes({}, { token }))
    return mailboxes.at(-1)?.id ?? ''
  }
}
