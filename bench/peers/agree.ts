import { deepStrictEqual, equal } from 'node:assert/strict'
import { generateToolKey } from '@family-inbox/auth/models/tool-key'
import { mintKeys } from '../world/mint-keys.ts'
import { askOnce, toolRequest } from '../world/tool-request.ts'
import type { Workspace } from '../world/workspace.ts'
import type { Peer } from './peer.ts'

const CALLS_A_WINDOW = 60

/**
 * Checks that peers do the same work: the same answer to the same call, none to an unknown key, the sixty-first call of a
 * minute refused, and an unknown loved one not listed.
 * @throws AssertionError naming the peer
 */
export async function requireAgreement(peers: readonly Peer[], workspace: Workspace, bodies: string[]): Promise<void> {
  const [key = ''] = await mintKeys(workspace, 1)
  for (const body of bodies) {
    const answers = await Promise.all(peers.map((peer) => askOnce(peer, key, body)))
    for (const [index, { status, text }] of answers.entries()) {
      const name = `${peers[index]?.name}: ${text.slice(0, 300)}`
      equal(status, 200, name)
      deepStrictEqual(JSON.parse(text), JSON.parse(answers[0]?.text ?? ''), name)
    }
  }
  for (const peer of peers) await requireRefusals(peer, workspace, key)
}

async function requireRefusals(peer: Peer, workspace: Workspace, key: string): Promise<void> {
  const ping = toolRequest('ping', {})
  const foreign = toolRequest('list_inbox_messages', { lovedOneId: 'lo_of_somebody_else' })
  equal((await askOnce(peer, generateToolKey(), ping)).status, 401, `${peer.name} must refuse an unknown key`)
  const refused = JSON.parse((await askOnce(peer, key, foreign)).text)
  equal(refused.result.isError, true, `${peer.name} must refuse a foreign loved one`)
  const [fresh = ''] = await mintKeys(workspace, 1, false)
  const statuses = []
  for (let call = 0; call <= CALLS_A_WINDOW; call += 1) statuses.push((await askOnce(peer, fresh, ping)).status)
  equal(statuses.filter((status) => status === 200).length, CALLS_A_WINDOW, `${peer.name} must limit calls`)
  equal(statuses.at(-1), 429, `${peer.name} must limit calls`)
}
