import { type Rearrangement, RearrangementKind } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { Workspace } from '../shell/workspace.ts'

/** Says who moved a conversation, put it with another one, or took it apart. */
export function rearrangedTurn(act: Rearrangement, workspace: Workspace, clock: ReaderClock): Html {
  return html`<li class="turn ours"><p class="turn-head"><strong><bdi>${act.name}</bdi></strong> ${didWords(act, workspace)} <span class="hint">${act.at && whenOf(act.at, clock)}</span></p></li>`
}

function didWords({ kind, fromLovedOneId }: Rearrangement, { lovedOnes }: Workspace): Html | string {
  if (kind === RearrangementKind.JOINED) return 'put this with another conversation'
  if (kind === RearrangementKind.TAKEN_OUT) return 'took this out of another conversation'
  const from = lovedOnes.find(({ id }) => id === fromLovedOneId)
  return from ? html`moved this here from <bdi>${from.name}</bdi>’s inbox` : 'moved this here from another inbox'
}
