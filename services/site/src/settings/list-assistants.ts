import type { Access } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
import { ALL_SCOPES, scopeWords } from '../shell/permissions.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { Workspace } from '../shell/workspace.ts'

const PAGE_SIZE = 100

/** An app or a tool key that can act for the reader. */
export type Assistant = {
  id: string
  name: string
  kind: 'app' | 'key'
  scopes: string[]
  access: Access | undefined
  createdAt: Date | undefined
  lastUsedAt: Date | undefined
  pausedAt: Date | undefined
}

/** All of the reader's own, the newest first. */
export async function listAssistants(ctx: Context, visit: Visit, { session }: Workspace): Promise<Assistant[]> {
  const on = asPerson(session, visit)
  const [grants, keys] = await Promise.all([
    readAll(async (pageToken) => {
      const { grants: rows, nextPageToken } = await ctx.auth.listGrants({ pageSize: PAGE_SIZE, pageToken }, on)
      return { rows, nextPageToken }
    }),
    readAll(async (pageToken) => {
      const { keys: rows, nextPageToken } = await ctx.auth.listToolKeys({ pageSize: PAGE_SIZE, pageToken }, on)
      return { rows, nextPageToken }
    }),
  ])
  const apps = grants.map(({ clientName, ...grant }) => toAssistant('app', { ...grant, name: clientName }))
  const active = keys.filter(({ revokedAt }) => revokedAt === undefined).map((key) => toAssistant('key', key))
  return [...apps, ...active].sort((one, other) => timeOf(other.createdAt) - timeOf(one.createdAt))
}

/** Without the scope it can only read, whatever was chosen for it. */
export function canWrite(scopes: string[]): boolean {
  return scopes.some((scope) => scopeWords(scope).kind === 'write')
}

type Listed = {
  id: string
  name: string
  scopes: string[]
  access?: Access | undefined
  createdAt: Date | undefined
  lastUsedAt: Date | undefined
  pausedAt?: Date | undefined
}

export function toAssistant(kind: Assistant['kind'], listed: Listed): Assistant {
  const { id, name, access, createdAt, lastUsedAt, pausedAt } = listed
  const scopes = kind === 'key' && listed.scopes.length === 0 ? [...ALL_SCOPES] : listed.scopes
  return { id, name: name || 'Unnamed app', kind, scopes, access, createdAt, lastUsedAt, pausedAt }
}

function timeOf(moment: Date | undefined): number {
  return moment?.getTime() ?? 0
}

async function readAll<Row>(read: (pageToken: string) => Promise<{ rows: Row[]; nextPageToken: string }>) {
  const all: Row[] = []
  for (let pageToken: string | undefined = ''; pageToken !== undefined; ) {
    const { rows, nextPageToken } = await read(pageToken)
    all.push(...rows)
    pageToken = nextPageToken || undefined
  }
  return all
}
