import type {
  AuditEntry,
  RecordAuditEntriesRequest,
  RecordAuditEntriesResponse,
} from '@family-inbox/proto/auth/v1/auth'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { markFirstWrites } from '../assistants/alarms.ts'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import type { AuditEntry as Row } from '../models/audit-entry.ts'

/** Stores finished calls (SPEC "Every call is audited"). Idempotent. */
export function recordAuditEntries(ctx: Context): Handler<RecordAuditEntriesRequest, RecordAuditEntriesResponse> {
  return async (request, call) => {
    requireService(call, 'gateway')
    await Promise.all([
      insertOnce(ctx.auditEntries.collection, request.entries.map(toRow)),
      markFirstWrites(ctx, request.entries),
    ])
    crashPoint('call-recorded')
    return {}
  }
}

function toRow({ id, startedAt, ...rest }: AuditEntry): Row {
  return { _id: id, startedAt: startedAt ?? new Date(), ...rest }
}
