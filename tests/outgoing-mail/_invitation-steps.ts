import type { ServiceName } from '@family-inbox/local-stack/services'
import type { ChangeStreamDocument, MongoClient } from 'mongodb'
import { databaseName } from '../_database.ts'
import type { Family } from '../_family.ts'

export const VICTIMS = ['care-circle', 'inbox', 'auth', 'gateway'] as const satisfies ServiceName[]
export type Victim = (typeof VICTIMS)[number]

/** A row that a service wrote, or a mail that the other mail server has before it has answered. */
export type Change = { in: string; id: string; isNew: boolean; set: Record<string, unknown>; unset: string[] }

export type Phase = 'propose' | 'approve' | 'decline'

export type Step = {
  name: string
  phase: Phase
  /** The service that has just taken this step. */
  by: Victim
  isTaken(change: Change): boolean
}

/** All that is written from an assistant's call to the end of the mail. */
export const STEPS: readonly Step[] = [
  { name: 'the call is admitted', phase: 'propose', by: 'auth', isTaken: (one) => one.in === 'tool_keys' },
  { name: 'the proposal is counted', phase: 'propose', by: 'care-circle', isTaken: isSpent('proposals/') },
  { name: 'the proposal is stored', phase: 'propose', by: 'care-circle', isTaken: isInserted('invitation_proposals') },
  { name: 'the call is recorded', phase: 'propose', by: 'gateway', isTaken: isInserted('audit_entries') },
  { name: 'the limits are spent', phase: 'approve', by: 'care-circle', isTaken: isSpent('address/') },
  { name: 'it is approved', phase: 'approve', by: 'care-circle', isTaken: isSet('invitation_proposals', 'approved') },
  { name: 'the invitation is stored', phase: 'approve', by: 'care-circle', isTaken: isInserted('invitations') },
  {
    name: 'the mail is queued',
    phase: 'approve',
    by: 'care-circle',
    isTaken: (one) => one.in === 'invitations' && one.unset.includes('mailDueAt'),
  },
  { name: 'it is marked as sent', phase: 'approve', by: 'care-circle', isTaken: isSet('invitation_proposals', 'sent') },
  { name: 'the delivery is recorded', phase: 'approve', by: 'inbox', isTaken: isInserted('deliveries') },
  { name: 'the mail is handed over', phase: 'approve', by: 'inbox', isTaken: isSet('deliveries', 'handing_over') },
  { name: 'the other server has it', phase: 'approve', by: 'inbox', isTaken: isInserted('mail server') },
  { name: 'the delivery is marked', phase: 'approve', by: 'inbox', isTaken: isSet('deliveries', 'sent') },
  { name: 'it is declined', phase: 'decline', by: 'care-circle', isTaken: isSet('invitation_proposals', 'declined') },
]

function isSpent(prefix: string) {
  return (one: Change) => one.in === 'mail_allowances' && one.id.startsWith(prefix)
}

function isInserted(collection: string) {
  return (one: Change) => one.in === collection && one.isNew
}

function isSet(collection: string, state: string) {
  return (one: Change) => one.in === collection && !one.isNew && one.set.state === state
}

export type Trap = AsyncDisposable & {
  /**
   * Kills a service as soon as the next such step is taken. Resolves then.
   * @param about one of them is in the id of what changes
   */
  set(step: Step, victim: Victim, about: readonly string[]): Promise<void>
  notice(change: Change): void
}

/** Watches the databases of care-circle, inbox and auth. */
export async function openTrap({ stack }: Family, mongo: MongoClient): Promise<Trap> {
  let armed: { step: Step; about: readonly string[]; spring: () => void } | undefined
  const notice = (change: Change) => {
    if (armed?.step.isTaken(change) && armed.about.some((word) => change.id.includes(word))) armed.spring()
  }
  const streams = (['care-circle', 'inbox', 'auth'] as const).map((service) =>
    mongo.db(databaseName(stack, service)).watch([], { maxAwaitTimeMS: 1000 }),
  )
  for (const stream of streams) stream.on('change', (event) => notice(toChange(event)))
  await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once('resumeTokenChanged', resolve))))
  return {
    notice,
    set: (step, victim, about) =>
      new Promise((resolve) => {
        const spring = () => {
          armed = undefined
          stack.kill(victim)
          resolve()
        }
        armed = { step, about, spring }
      }),
    async [Symbol.asyncDispose]() {
      await Promise.all(streams.map((stream) => stream.close()))
    },
  }
}

function toChange(event: ChangeStreamDocument): Change {
  const collection = 'ns' in event && 'coll' in event.ns ? event.ns.coll : ''
  const id = 'documentKey' in event ? String(event.documentKey._id) : ''
  const updated = event.operationType === 'update' ? event.updateDescription : undefined
  return {
    in: collection,
    id,
    isNew: event.operationType === 'insert',
    set: updated?.updatedFields ?? {},
    unset: updated?.removedFields ?? [],
  }
}
