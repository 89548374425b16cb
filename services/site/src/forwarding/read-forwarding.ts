import type { GetForwardingResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'
import { type Provider, providerOf } from './provider.ts'

export type Forwarding = {
  workspace: Workspace
  lovedOne: LovedOne
  provider: Provider
  state: GetForwardingResponse
  /** Mail is written to a folder instead of being sent. */
  isLocal: boolean
}

export type GuideData = { forwarding: Forwarding; clock: ReaderClock; testKey: string }

export async function readForwarding(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  lovedOne: LovedOne,
): Promise<Forwarding> {
  const state = await ctx.inbox.getForwarding({ lovedOneId: lovedOne.id }, asPerson(workspace.session, visit))
  const provider = providerOf(visit.query('with') || state.confirmation?.provider || '')
  return { workspace, lovedOne, provider, state, isLocal: ctx.config.outboxDir !== undefined }
}
