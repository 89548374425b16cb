import { StatusError } from '@family-inbox/service-kit/rpc/status-error'

export type Status = 'open' | 'taken' | 'done' | 'not_needed'

/** Nobody needs to do anything about these. */
export const FINISHED: Status[] = ['done', 'not_needed']

export type State = {
  status: Status
  /** The member with it. */
  assigneeId?: string
  assigneeName?: string
  /** The member that changed it last. */
  changedByName?: string
}

export type Actor = { personId: string; name: string }

export type Act =
  | { kind: 'take' }
  /** `seenId` had it when the actor looked. */
  | { kind: 'hand_over'; to: Actor; seenId: string | undefined }
  | { kind: 'give_back' }
  | { kind: 'finish'; as: 'done' | 'not_needed' }
  | { kind: 'open_again' }

/**
 * The rule for everything that a member takes care of: conversations and to-dos. Returns the state after an act; the same one when
 * there is nothing to change. Only the holder gives it back, everyone may hand it over or finish it.
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
