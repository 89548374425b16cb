import type { AddressInfo } from 'node:net'
import type { LovedOne } from '@family-inbox/care-circle/models/loved-one'
import { type Member, syntheticOwner } from '@family-inbox/care-circle/models/member'
import type { Workspace } from '@family-inbox/care-circle/models/workspace'
import { SANDBOX_QUOTA } from '@family-inbox/inbox/arriving/store-within-quota'
import { formatAddress, type InboxAddress, newAddress } from '@family-inbox/inbox/models/inbox-address'
import type { Sandbox } from '@family-inbox/sandbox/models/sandbox'
import { newId } from '@family-inbox/service-kit/ids/ids'
import express from 'express'
import { MongoClient } from 'mongodb'
import { answerQuestions, workerOptions } from '../load/worker.ts'

export type SandboxDatabases = { sandbox: string; careCircle: string; inbox: string }

type Arguments = {
  lovedOneFirstName: string
  lovedOneLastName: string
  primaryCaregiverEmail: string
  careContext: string
  familyMemberEmails: string[]
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000

/** A bare Express handler: the same rows in one transaction, equally durable, without checks and limits. */
const databases = await workerOptions<SandboxDatabases>()
const client = new MongoClient(databases.sandbox, { writeConcern: { w: 'majority', journal: true } })
const database = (uri: string) => client.db(new URL(uri).pathname.slice(1))
const sandboxes = database(databases.sandbox).collection<Sandbox>('sandboxes')
const workspaces = database(databases.careCircle).collection<Workspace>('workspaces')
const members = database(databases.careCircle).collection<Member>('members')
const lovedOnes = database(databases.careCircle).collection<LovedOne>('loved_ones')
const addresses = database(databases.inbox).collection<InboxAddress>('inbox_addresses')

const app = express()
app.post('/', express.json(), async (req, res) => {
  const { id, params } = req.body
  const result = await makeWorkspace(params.arguments)
  const content = ['A workspace was made.', JSON.stringify(result)].map((text) => ({ type: 'text', text }))
  res.json({ jsonrpc: '2.0', id, result: { content, structuredContent: result } })
})
const server = app.listen(0, '127.0.0.1', () =>
  answerQuestions({ port: (server.address() as AddressInfo).port }, async () => ({})),
)

async function makeWorkspace(args: Arguments) {
  const [workspaceId, lovedOneId, createdAt] = [newId('ws'), newId('lo'), new Date()]
  const lovedOneName = `${args.lovedOneFirstName} ${args.lovedOneLastName}`
  const familyName = `${args.lovedOneLastName} family (sandbox)`
  const { careContext, primaryCaregiverEmail, familyMemberEmails: inviteDrafts } = args
  const expiresAt = new Date(createdAt.getTime() + WEEK_MS)
  const address = { ...newAddress(), workspaceId, lovedOneId, sandbox: true as const, quota: { ...SANDBOX_QUOTA } }
  const inboxAddress = formatAddress(address, 'family-inbox.test')
  const sandbox: Sandbox = {
    _id: workspaceId,
    lovedOneId,
    state: 'open',
    lovedOneName,
    familyName,
    workspaceName: `${args.lovedOneLastName} family`,
    claimEmail: primaryCaregiverEmail,
    careContext,
    inviteDrafts,
    inboxAddress,
    createdAt,
    expiresAt,
    dueAt: expiresAt,
  }
  await client.withSession((session) =>
    session.withTransaction(async () => {
      await sandboxes.insertOne(sandbox, { session })
      await workspaces.insertOne(
        { _id: workspaceId, name: familyName, plan: 'family', createdAt, sandbox: true },
        { session },
      )
      await members.insertOne(syntheticOwner(workspaceId, createdAt), { session })
      await lovedOnes.insertOne({ _id: lovedOneId, workspaceId, name: lovedOneName, createdAt }, { session })
      await addresses.insertOne(address, { session })
    }),
  )
  return { workspaceId, lovedOneId, inboxAddress, familyName, inviteDrafts, sandbox: true, primaryCaregiverEmail }
}
