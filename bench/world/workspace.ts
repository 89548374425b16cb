import { hashToolKey, type ToolKey } from '@family-inbox/auth/models/tool-key'
import type { Message } from '@family-inbox/inbox/models/message'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { type DemoFamily, seedDemo } from '@family-inbox/ops/demo-seed'
import { MongoClient } from 'mongodb'
import { createTransport } from 'nodemailer'
import { operatorUri } from '../../tests/_database.ts'
import { openSealed } from '../../tests/_sealed.ts'
import { sampleMail } from './sample-mail.ts'

/** The addresses of the databases, each with the operator’s login. */
export type Databases = { auth: string; careCircle: string; inbox: string }

/** A workspace in a running stack, with access to its databases. */
export type Workspace = AsyncDisposable & {
  family: DemoFamily
  lovedOneId: string
  databases: Databases
  ownerKey: ToolKey
  /** Rows that inbox wrote for mail over SMTP, as they are stored. Later copies have the same form. */
  storedRows: Message[]
  /** The same rows, as inbox reads them. */
  sampleRows: Message[]
  sealed: Awaited<ReturnType<typeof openSealed>>
  collection<Row extends object>(database: keyof Databases, name: string): ReturnType<typeof collectionOf<Row>>
}

/** Creates a workspace through the services and reads the rows they wrote. */
export async function makeWorkspace(stack: Stack): Promise<Workspace> {
  const family = await seedDemo(stack.target)
  const lovedOne = family.lovedOnes[0]
  if (lovedOne === undefined) throw new Error('the demo family has no loved one')
  const messageIds = await deliver(stack, lovedOne.inboxAddress)
  const databases = {
    auth: operatorUri(stack, 'auth'),
    careCircle: operatorUri(stack, 'care-circle'),
    inbox: operatorUri(stack, 'inbox'),
  }
  const client = await MongoClient.connect(databases.auth)
  const collection: Workspace['collection'] = (database, name) => collectionOf(client, databases[database], name)
  const ownerKey = await collection<ToolKey>('auth', 'tool_keys').findOne({ hash: hashToolKey(family.keys.owner) })
  if (ownerKey === null) throw new Error('auth’s database does not have the owner’s key')
  const sampled = { lovedOneId: lovedOne.id, messageIdHeader: { $in: messageIds } }
  const storedRows = await collection<Message>('inbox', 'messages').find(sampled).toArray()
  const sealed = await openSealed(stack, client.db(new URL(databases.inbox).pathname.slice(1)))
  const sampleRows = sealed.open(await collection<Message>('inbox', 'messages').find(sampled).toArray())
  // Results of checks would change an answer in the middle of a measurement.
  await collection<Message>('inbox', 'messages').updateMany({}, { $unset: { authenticityPending: 1 } })
  if (sampleRows.length !== sampleMail.length) throw new Error('inbox’s database does not have the sample mail')
  return {
    family,
    lovedOneId: lovedOne.id,
    databases,
    ownerKey,
    storedRows,
    sampleRows,
    sealed,
    collection,
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function collectionOf<Row extends object>(client: MongoClient, uri: string, name: string) {
  return client.db(new URL(uri).pathname.slice(1)).collection<Row>(name)
}

/** @returns the Message-ID of each mail */
async function deliver({ target: { smtp } }: Stack, to: string): Promise<string[]> {
  const transport = createTransport({ ...smtp, secure: false, ignoreTLS: true, pool: true, maxConnections: 1 })
  const messageIds = []
  for (const mail of sampleMail) messageIds.push((await transport.sendMail({ ...mail, to })).messageId)
  transport.close()
  return messageIds
}
