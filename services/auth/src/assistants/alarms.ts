import { createHmac, type KeyObject } from 'node:crypto'
import { type AuditEntry, CredentialKind, Outcome } from '@family-inbox/proto/auth/v1/auth'
import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { TOOLS } from '@family-inbox/workspace-kit/tool-catalogue'
import type { mongo } from 'mongoose'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { AlarmKind } from '../models/alarm-marks.ts'

/** More than most hosted assistants call from. The one used longest ago is forgotten. */
const MAX_NETWORKS = 40
const WEEK_MS = 7 * DAY_MS
const KEY_ID_LENGTH = 6
/** The entry of the call is stored by then. */
const STORE_MS = 3000

export const WRITE_TOOLS: string[] = TOOLS.filter(({ kind }) => kind === 'write').map(({ name }) => name)
export const DONE: Outcome[] = [Outcome.OK, Outcome.APPROVAL_ASKED]
export const ASSISTANT_KINDS: CredentialKind[] = [CredentialKind.TOOL_KEY, CredentialKind.ACCESS_TOKEN]

/**
 * Changes the row of an assistant that calls from another network than last time: remembers the network, and marks one that is
 * new. The first network is not new, nor is any after the service key was replaced. At most one mail a week; what comes in
 * between waits for it.
 * @param latest ends with the network of the last call
 */
export function noteNetwork(
  { networkKey }: Pick<Config, 'networkKey'>,
  latest: readonly string[] | undefined,
  clientAddress: string,
): mongo.Document | undefined {
  const network = clientNetwork(clientAddress)
  if (network === 'unknown') return undefined
  const hash = hashNetwork(networkKey, network)
  if (latest?.at(-1) === hash) return undefined
  const known = { $ifNull: ['$networks', []] }
  const ofThisKey = { $eq: [{ $substrBytes: ['$$this', 0, KEY_ID_LENGTH] }, hash.slice(0, KEY_ID_LENGTH)] }
  const isFirst = { $eq: [{ $filter: { input: known, cond: ofThisKey } }, []] }
  const others = { $filter: { input: known, cond: { $ne: ['$$this', hash] } } }
  const isNew = { $not: [{ $or: [isFirst, { $in: [hash, known] }] }] }
  const dueAt = { $max: ['$$NOW', { $add: ['$networkAlarmAt', WEEK_MS] }] }
  return {
    networks: { $slice: [{ $concatArrays: [others, [hash]] }, -MAX_NETWORKS] },
    ...markAlarm('new_network', dueAt, isNew),
  }
}

/** Providers move their customers within a /24 or a /48. The hash begins with an id of its key. */
export function hashNetwork(networkKey: KeyObject, network: string): string {
  const sign = (text: string) => createHmac('sha256', networkKey).update(text).digest('base64url')
  const wider = network.replace(/[.:][^.:]*$/, '')
  return `${sign('').slice(0, KEY_ID_LENGTH)}.${sign(wider).slice(0, 22)}`
}

/** Before the call is answered, so that no crash loses a mark. */
export async function markFirstWrites(ctx: Context, entries: AuditEntry[]): Promise<void> {
  const writes = entries.filter(({ tool, outcome }) => WRITE_TOOLS.includes(tool) && DONE.includes(outcome))
  const dueAt = { $add: ['$$NOW', STORE_MS] }
  const update = [{ $set: { firstWriteAt: '$$NOW', ...markAlarm('first_write', dueAt) } }]
  for (const kind of ASSISTANT_KINDS) {
    const ids = writes.flatMap((entry) => (entry.kind === kind ? [entry.credentialId] : []))
    if (ids.length === 0) continue
    const firsts = { _id: { $in: ids as never[] }, firstWriteAt: null }
    const { modifiedCount } = await assistantsOf(ctx, kind).updateMany(firsts, update)
    if (modifiedCount > 0) ctx.wake.alarms()
  }
}

export function assistantsOf(ctx: Context, kind: CredentialKind): mongo.Collection {
  return kind === CredentialKind.TOOL_KEY ? ctx.toolKeys.collection : ctx.grants.collection
}

/** Leaves an alarm alone that is due already. */
export function markAlarm(
  kind: AlarmKind,
  dueAt: mongo.Document | string,
  when: mongo.Document | boolean = true,
): object {
  const due = { $ifNull: [`$alarms.${kind}`, dueAt] }
  return {
    alarms: { $cond: [when, { $mergeObjects: ['$alarms', { [kind]: due }] }, '$alarms'] },
    alarmDueAt: { $cond: [when, { $min: ['$alarmDueAt', due] }, '$alarmDueAt'] },
  }
}
