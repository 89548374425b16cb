import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { type ConversationStatus, FINISHED, type Status } from '../models/conversation-status.ts'

export type State = Pick<ConversationStatus, 'status' | 'assigneeId' | 'assigneeName' | 'changedByName'>

export type Actor = { personId: string; name: string }

export type Act =
  | { kind: 'take' }
  /** `seenId` had it when the actor looked. */
  | { kind: 'hand_over'; to: Actor; seenId: string | undefined }
  | { kind: 'give_back' }
  | { kind: 'finish'; as: 'done' | 'not_needed' }
  | { kind: 'open_again' }

/**
 * Returns the state after an act; the same one when there is nothing to change. Only the holder gives it back, everyone may hand
 * it over or finish it.
 * @throws StatusError FAILED_PRECONDITION, naming whoever changed it first
 */
export function nextState(now: State | undefined, act: Act, by: Actor): State | undefined {
  if (act.kind === 'open_again') return isFinished(now) ? { status: 'open', changedByName: by.name } : now
  if (act.kind === 'finish') return finish(now, act.as, by)
  if (isFinished(now)) throw changedFirst(now.changedByName ?? 'Someone', finishedWords(now.status))
  if (act.kind === 'take') return assign(now, by, [undefined, by.personId], by)
  if (act.kind === 'hand_over') return assign(now, act.to, [undefined, act.seenId, act.to.personId, by.personId], by)
  if (now?.assigneeId === undefined) return now
  if (now.assigneeId !== by.personId) throw alreadyAssigned(now)
  return { status: 'open', changedByName: by.name }
}

/** The state of conversations that turn out to be one: whoever takes care of one takes care of all, and open work stays open. */
export function mergeStatuses(rows: readonly ConversationStatus[]): ConversationStatus | undefined {
  const rank = ({ status }: ConversationStatus) => ['taken', 'open', 'done', 'not_needed'].indexOf(status)
  const [first] = rows.toSorted(
    (a, b) => Math.min(rank(a), 2) - Math.min(rank(b), 2) || later(a.changedAt, b.changedAt),
  )
  if (first === undefined) return undefined
  const handedOver = rows.find((row) => row.handedOver)?.handedOver
  return {
    ...first,
    mailAt: new Date(Math.max(...rows.map(({ mailAt }) => mailAt.getTime()))),
    version: Math.max(...rows.map(({ version }) => version)) + 1,
    ...(handedOver && { handedOver }),
  }
}

function later(one: Date, other: Date): number {
  return other.getTime() - one.getTime()
}

function assign(now: State | undefined, to: Actor, allowed: (string | undefined)[], by: Actor): State {
  if (!allowed.includes(now?.assigneeId)) throw alreadyAssigned(now as State)
  if (now?.assigneeId === to.personId) return now
  return { status: 'taken', assigneeId: to.personId, assigneeName: to.name, changedByName: by.name }
}

function finish(now: State | undefined, as: 'done' | 'not_needed', by: Actor): State {
  if (!isFinished(now)) return { status: as, changedByName: by.name }
  if (now.status === as) return now
  throw changedFirst(now.changedByName ?? 'Someone', finishedWords(now.status))
}

function isFinished(now: State | undefined): now is State & { status: 'done' | 'not_needed' } {
  return now !== undefined && FINISHED.includes(now.status)
}

function finishedWords(status: Status): string {
  return status === 'done' ? 'has marked this as done' : 'has marked this “No action needed”'
}

function alreadyAssigned({ assigneeName = 'Someone' }: State): StatusError {
  return changedFirst(assigneeName, 'is already on it')
}

function changedFirst(name: string, words: string): StatusError {
  return new StatusError('FAILED_PRECONDITION', `${name} ${words}. Nothing was changed.`)
}
