import { setTimeout as sleep } from 'node:timers/promises'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Answer } from '../_family.ts'
import type { Random } from '../_random.ts'
import { foundWorkspace } from '../_workspace.ts'
import { request } from '../sandbox/_sandbox.ts'
import { type ClusterWorld, INVITATIONS } from './_cluster-world.ts'
import { insist } from './_insist.ts'
import { type History, openHistory } from './_linearizable.ts'

type Lane = (world: ClusterWorld, history: History, random: Random, isOver: () => boolean) => Promise<void>

const PACE_MS = 40
const CLAIMERS = 3
/** Before anybody gives up on an answer. */
const MOST_TRIES = 50

/** A key works until it is revoked, and never afterwards. */
export function revokeKeys(readerCount: number): Lane {
  return async ({ pipe, workspace }, history, random, isOver) => {
    while (!isOver()) {
      // A key whose answer was lost would stay active, and a person may have only so many.
      const attempt = randomText(12)
      const key = await insist(() => workspace.owner.mintKey(attempt))
      const valid = { object: `tool key ${key.id}`, model: 'register' } as const
      await history.note(
        0,
        async () => {},
        () => ({ ...valid, kind: 'write', value: 'valid' }),
      )
      let isRevoked = false
      const readers = Array.from({ length: readerCount }, async (_, nth) => {
        for (let after = 0; after < 5; after += isRevoked ? 1 : 0) {
          await history.note(
            1 + nth,
            () => pipe.call(key.secret, 'ping'),
            (answer) => readOf(valid, answer),
          )
          await sleep(PACE_MS)
        }
      })
      await sleep(random.between(100, 600))
      const revoked = { ...valid, kind: 'write', value: 'revoked' } as const
      const revoke = () =>
        history.note(
          0,
          () => workspace.owner.revokeKey(key.id),
          () => revoked,
          revoked,
        )
      await insist(async () => (await revoke()) || undefined)
      isRevoked = true
      await Promise.all(readers)
    }
  }
}

function readOf(register: { object: string; model: 'register' }, { status, json }: Answer) {
  if (status === 401) return { ...register, kind: 'read', value: 'revoked' } as const
  return status === 200 && json?.result ? ({ ...register, kind: 'read', value: 'valid' } as const) : undefined
}

/** Events are accepted, and shown, while they are shared, and at no other time. */
export const toggleConsent: Lane = async ({ pipe }, history, random, isOver) => {
  const agency = await insist(() => pipe.addAgency())
  const subject = await insist(() => pipe.link(agency))
  const register = { object: `consent of ${subject}`, model: 'register' } as const
  await history.note(
    0,
    async () => {},
    () => ({ ...register, kind: 'write', value: 'shared' }),
  )
  const partner = async () => {
    while (!isOver()) {
      await history.note(
        1,
        () => agency.postOnce(agency.event(subject)),
        ({ status }) => {
          const value = status === 202 ? 'shared' : status === 404 ? 'not shared' : undefined
          return value && { ...register, kind: 'read', value }
        },
      )
      await sleep(PACE_MS)
    }
  }
  const owner = async () => {
    for (let shared = false; !isOver(); shared = !shared) {
      await sleep(random.between(100, 600))
      const write = { ...register, kind: 'write', value: shared ? 'shared' : 'not shared' } as const
      const set = async () => {
        await pipe.services.pipe.setFamilyShare({ institutionId: agency.institutionId, subjectRef: subject, shared })
      }
      await insist(async () => (await history.note(0, set, () => write, write)) || undefined)
    }
  }
  await Promise.all([partner(), owner()])
}

/** A sandbox goes to one person. */
export const claimSandboxes: Lane = async ({ sandboxes }, history, random, isOver) => {
  while (!isOver()) {
    const email = `${randomText(12)}@silva.example`
    const { workspaceId } = await insist(() =>
      sandboxes.sandbox.startWorkspace(request({ primaryCaregiverEmail: email }), soon()),
    )
    const claims = openHistory()
    await Promise.all(
      Array.from({ length: CLAIMERS }, async (_, client) => {
        const { personId } = await sandboxes.person(email)
        await sleep(random.between(0, 100))
        const claim = { object: `sandbox ${workspaceId}`, model: 'claim', kind: 'claim', value: personId } as const
        for (let tries = 0; tries < MOST_TRIES; tries += 1) {
          const ask = async () => {
            const { token } = await sandboxes.person(email)
            const words = { workspaceId, name: 'Ana Silva', relationship: '', familyName: '', invite: [] }
            return sandboxes.sandbox.claimSandbox(words, { token, ...soon() }).then(() => true, isRefused)
          }
          const unknown = { ...claim, granted: false }
          if (await claims.note(client, ask, (granted) => ({ ...claim, granted }), unknown)) return
          await sleep(PACE_MS)
        }
      }),
    )
    // That it is open is not written to a majority: for half a minute after a failover, nobody may be able to claim it.
    if (claims.operations.some((claim) => 'granted' in claim && claim.granted))
      history.operations.push(...claims.operations)
  }
}

/** A family sends no more invitations than its limit. */
export const useUpInvitations: Lane = async ({ pipe }, history, _random, isOver) => {
  while (!isOver()) {
    using workspace = await insist(() => foundWorkspace(pipe.stack))
    const { secret } = await insist(() => workspace.owner.mintKey())
    const limit = { object: `invitations of ${workspace.workspaceId}`, model: 'limit', kind: 'spend' } as const
    // One was sent when the family was founded.
    const spend = { ...limit, limit: INVITATIONS - 1 }
    await Promise.all(
      Array.from({ length: INVITATIONS + 2 }, async (_, client) => {
        const email = `${randomText(12)}@guest.example`
        const ask = () => pipe.call(secret, 'invite_family_member', { email, role: 'viewer' })
        const unknown = { ...spend, granted: false }
        await history.note(client, ask, (answer) => invited(spend, answer), unknown)
      }),
    )
    await sleep(1000)
  }
}

/** Only what was granted: an invitation may be refused because one that is refused in the end holds its place for a moment. */
function invited<T extends object>(spend: T, { status, json }: Answer) {
  const isGranted = status === 200 && json?.result !== undefined && json.result.isError !== true
  return isGranted ? { ...spend, granted: true } : undefined
}

/** No: not now, or not ever. @throws what is neither */
function isRefused(error: unknown): false {
  if (error instanceof StatusError && /^(ALREADY_EXISTS|NOT_FOUND|FAILED_PRECONDITION)$/.test(error.status))
    return false
  throw error
}

function soon() {
  return { deadline: Date.now() + 5000 }
}
