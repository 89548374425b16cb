import {
  type AuditEntry,
  CredentialKind,
  type RecordAuditEntriesRequest,
  type RecordAuditEntriesResponse,
} from '@family-inbox/proto/auth/v1/auth'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { markFirstWrites } from '../assistants/alarms.ts'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import type { AuditEntry as Row } from '../models/audit-entry.ts'

/** Stores finished calls (SPEC "Every call is audited"), and what people did. Idempotent. */
export function recordAuditEntries(ctx: Context): Handler<RecordAuditEntriesRequest, RecordAuditEntriesResponse> {
  return async (request, call) => {
    const service = requireService(call, 'gateway', 'inbox', 'site')
    requireOwnKind(service, request.entries)
    await Promise.all([
      insertOnce(ctx.auditEntries.collection, request.entries.map(toRow)),
      markFirstWrites(ctx, request.entries),
    ])
    crashPoint(service === 'gateway' ? 'call-recorded' : 'act-recorded')
    return {}
  }
}

/** The gateway alone knows what assistants did, and it never acts for a person on a page. */
function requireOwnKind(service: string, entries: AuditEntry[]): void {
  const byPeople = service !== 'gateway'
  if (entries.every(({ kind }) => (kind === CredentialKind.PERSON) === byPeople)) return
  throw new StatusError('PERMISSION_DENIED', 'This service does not record such entries.')
}

function toRow({ id, startedAt, ...rest }: AuditEntry): Row {
  return { _id: id, startedAt: startedAt ?? new Date(), ...rest }
}
