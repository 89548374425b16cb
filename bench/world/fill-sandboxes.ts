import type { LovedOne } from '@family-inbox/care-circle/models/loved-one'
import { type Member, syntheticOwner } from '@family-inbox/care-circle/models/member'
import type { Workspace } from '@family-inbox/care-circle/models/workspace'
import { SANDBOX_QUOTA } from '@family-inbox/inbox/arriving/store-within-quota'
import { type InboxAddress, newAddress } from '@family-inbox/inbox/models/inbox-address'
import type { Sandbox } from '@family-inbox/sandbox/models/sandbox'
import { newId } from '@family-inbox/service-kit/ids/ids'
import type { Collection, MongoClient } from 'mongodb'
import type { SandboxDatabases } from '../peers/bare-starts.ts'

const CHUNK = 5000
const HOUR_MS = 3_600_000

/** As many as can be swept during a measurement. */
const WITH_RECORDS = 50_000

/**
 * Adds expired sandboxes to the database of the sandbox service. The first ones also have all records in care-circle and inbox;
 * no measurement gets as far as the others.
 */
export async function fillExpiredSandboxes(client: MongoClient, databases: SandboxDatabases, count: number) {
  const rowsOf = <Row extends object>(uri: string, name: string) =>
    client.db(new URL(uri).pathname.slice(1)).collection<Row>(name)
  const sandboxes = rowsOf<Sandbox>(databases.sandbox, 'sandboxes')
  const workspaces = rowsOf<Workspace>(databases.careCircle, 'workspaces')
  const members = rowsOf<Member>(databases.careCircle, 'members')
  const lovedOnes = rowsOf<LovedOne>(databases.careCircle, 'loved_ones')
  const addresses = rowsOf<InboxAddress>(databases.inbox, 'inbox_addresses')
  for (let from = 0; from < count; from += CHUNK) {
    const made = Array.from({ length: CHUNK }, (_, index) => expired(count - from - index))
    const rows = made.map(({ sandbox }) => sandbox)
    await insert(sandboxes, rows)
    if (from >= WITH_RECORDS) continue
    const owners = made.map(({ workspace: { _id, createdAt } }) => syntheticOwner(_id, createdAt))
    const newWorkspaces = made.map(({ workspace }) => workspace)
    const people = made.map(({ lovedOne }) => lovedOne)
    const inboxAddresses = made.map(({ address }) => address)
    await Promise.all([
      insert(workspaces, newWorkspaces),
      insert(members, owners),
      insert(lovedOnes, people),
      insert(addresses, inboxAddresses),
    ])
  }
  return sandboxes
}

/** @param number the higher, the longer expired */
function expired(number: number) {
  const [workspaceId, lovedOneId] = [newId('ws'), newId('lo')]
  const expiresAt = new Date(Date.now() - HOUR_MS - number)
  const createdAt = new Date(expiresAt.getTime() - 168 * HOUR_MS)
  const address = { ...newAddress(), workspaceId, lovedOneId, sandbox: true as const, quota: { ...SANDBOX_QUOTA } }
  const sandbox: Sandbox = {
    _id: workspaceId,
    state: 'open',
    lovedOneId,
    lovedOneName: 'Rosa Silva',
    familyName: 'Silva family (sandbox)',
    workspaceName: 'Silva family',
    claimEmail: `person${number}@silva.example`,
    careContext: 'Lives alone and likes visits in the morning.',
    inviteDrafts: ['rui@silva.example'],
    inboxAddress: `${address.localPart}@family-inbox.test`,
    createdAt,
    expiresAt,
    dueAt: expiresAt,
  }
  return {
    sandbox,
    address,
    workspace: { _id: workspaceId, name: sandbox.familyName, plan: 'family', createdAt, sandbox: true as const },
    lovedOne: { _id: lovedOneId, workspaceId, name: sandbox.lovedOneName, createdAt },
  }
}

function insert<Row extends object>(collection: Collection<Row>, rows: Row[]) {
  return collection.insertMany(rows as never, { ordered: false, writeConcern: { w: 1 } })
}
