import type { Context } from './context.ts'
import { changeSwitch } from './rpc/change-switch.ts'
import { checkAddress } from './rpc/check-address.ts'
import { createFirstWorkspace } from './rpc/create-first-workspace.ts'
import { getCareEventStates } from './rpc/get-care-event-states.ts'
import { getSwitches } from './rpc/get-switches.ts'
import { hasWorkspace } from './rpc/has-workspace.ts'
import { listDeadLetters } from './rpc/list-dead-letters.ts'
import { listSwitchChanges } from './rpc/list-switch-changes.ts'
import { replayDeadLetters } from './rpc/replay-dead-letters.ts'
import { setOutgoingMail } from './rpc/set-outgoing-mail.ts'

/** The RPCs about the installation: its first family, who may join it, and what its operator does. */
export function installationHandlers(ctx: Context) {
  return {
    hasWorkspace: hasWorkspace(ctx),
    createFirstWorkspace: createFirstWorkspace(ctx),
    checkAddress: checkAddress(ctx),
    getSwitches: getSwitches(ctx),
    changeSwitch: changeSwitch(ctx),
    listSwitchChanges: listSwitchChanges(ctx),
    getCareEventStates: getCareEventStates(ctx),
    listDeadLetters: listDeadLetters(ctx),
    replayDeadLetters: replayDeadLetters(ctx),
    setOutgoingMail: setOutgoingMail(ctx),
  }
}
