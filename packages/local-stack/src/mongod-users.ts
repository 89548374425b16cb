import { createHash } from 'node:crypto'
import type { MongoClient } from 'mongodb'
import { localSecret, mongodKey } from './secrets.ts'
import type { Service, ServiceName } from './services.ts'

/** Logs in at its own database. A `service` has rights on that alone, `root` on every one. */
export type MongodUser = {
  readonly name: string
  readonly password: string
  readonly database: string
  readonly role: 'service' | 'root'
}

/** The users of a mongod of ours. It refuses everyone else. */
export type MongodAccess = {
  readonly key: MongodKey
  readonly operator: MongodUser
  readonly services: Readonly<Partial<Record<ServiceName, MongodUser>>>
}

/** The key by which members of a replica set know each other, and its file. Whoever has it is mongod's own user `__system`. */
export type MongodKey = { readonly file: string; readonly key: string }

const DURABLE = { w: 'majority', j: true }
const ROLE_EXISTS = 51_002

/** The operator and a user for each service that owns a database. Their passwords are in `<dataDir>/secrets`, made on first use. */
export async function mongodAccess(
  dataDir: string,
  services: readonly Service[],
  databasePrefix: string,
): Promise<MongodAccess> {
  const password = (name: string) => localSecret(dataDir, `mongod-${name}`, 'key')
  const users = services.map(async ({ name, database }): Promise<[string, MongodUser][]> => {
    if (database === undefined) return []
    return [[name, { name, password: await password(name), database: databasePrefix + database, role: 'service' }]]
  })
  return {
    key: await mongodKey(dataDir),
    operator: { name: 'ops', password: await password('ops'), database: 'admin', role: 'root' },
    services: Object.fromEntries((await Promise.all(users)).flat()),
  }
}

/** mongod's own user, who exists before any other and whom no other process can make. */
export function systemLogin({ key }: MongodKey) {
  return {
    auth: { username: '__system', password: key },
    authSource: 'local',
    authMechanism: 'SCRAM-SHA-256',
  } as const
}

/** Creates the users that are missing, and corrects those with another password or role. Can be repeated after any crash. */
export async function keepUsers(client: MongoClient, users: readonly MongodUser[]): Promise<void> {
  if (users.length === 0) return // mongod refuses to look for none
  const named = users.map(({ name, database }) => ({ user: name, db: database }))
  const { users: found } = await client.db('admin').command({ usersInfo: named })
  const kept: readonly Kept[] = found
  await Promise.all(
    users.map(async (user) => {
      const { name, password: pwd, database, role } = user
      const existing = kept.find((one) => one.user === name && one.db === database)
      const definition = definitionOf(user)
      if (existing?.customData?.definition === definition) return
      if (role === 'service') await keepServiceRole(client, database)
      await client.db(database).command({
        [existing ? 'updateUser' : 'createUser']: name,
        ...{ pwd, roles: [role], mechanisms: ['SCRAM-SHA-256'], customData: { definition } },
        writeConcern: DURABLE,
      })
    }),
  )
}

/** Creates the users in a server elsewhere. @param uri as someone who may do that */
export async function keepUsersAt(uri: string, users: readonly MongodUser[]): Promise<void> {
  // Imported here, so that it loads while other things start.
  const { MongoClient } = await import('mongodb')
  await using client = await MongoClient.connect(uri)
  await keepUsers(client, users)
}

/** `readWrite` lacks what changes the time after which rows expire. `dbAdmin` has it, and could let mongod log queries. */
const SERVICE_ROLE = { roles: ['readWrite'], actions: ['collMod'] }

async function keepServiceRole(client: MongoClient, database: string): Promise<void> {
  const privileges = [{ resource: { db: database, collection: '' }, actions: SERVICE_ROLE.actions }]
  const role = { privileges, roles: SERVICE_ROLE.roles, writeConcern: DURABLE }
  const db = client.db(database)
  try {
    await db.command({ createRole: 'service', ...role })
  } catch (error) {
    if ((error as { code?: unknown }).code !== ROLE_EXISTS) throw error
    await db.command({ updateRole: 'service', ...role })
  }
}

type Kept = { readonly user: string; readonly db: string; readonly customData?: { readonly definition?: string } }

/** Tells a current user from one of another version or with a lost password. A hash hides 32 random bytes well enough. */
function definitionOf({ password, role }: MongodUser): string {
  return createHash('sha256')
    .update(JSON.stringify([password, role, SERVICE_ROLE]))
    .digest('hex')
}
