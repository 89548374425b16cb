import { recentlySignedIn } from '../../confirm/recently-signed-in.ts'
import type { Context } from '../../context.ts'
import { type HouseholdHandler, inHousehold } from '../../household.ts'
import type { Route } from '../../http/mount-routes.ts'
import { addLovedOne } from './add-loved-one.ts'
import { allocateAddress } from './allocate-address.ts'
import { cancelInvitation } from './cancel-invitation.ts'
import { changeRole } from './change-role.ts'
import { handOver } from './hand-over.ts'
import { invite } from './invite.ts'
import { leave } from './leave.ts'
import { makeCode } from './make-code.ts'
import { removePerson } from './remove-person.ts'
import { renameLovedOne } from './rename-loved-one.ts'
import { resendInvitation } from './resend-invitation.ts'
import { retireAddress } from './retire-address.ts'
import { showAddLovedOne } from './show-add-loved-one.ts'
import { showCancelInvitation } from './show-cancel-invitation.ts'
import { showCircle } from './show-circle.ts'
import { showHandOver } from './show-hand-over.ts'
import { showInvite } from './show-invite.ts'
import { showInvited } from './show-invited.ts'
import { showLeave } from './show-leave.ts'
import { showLovedOne } from './show-loved-one.ts'
import { showMakeCode } from './show-make-code.ts'
import { showPerson } from './show-person.ts'
import { showRemovePerson } from './show-remove-person.ts'
import { showRetireAddress } from './show-retire-address.ts'
import { showVoidCode } from './show-void-code.ts'
import { voidCode } from './void-code.ts'

/** The addresses of the care circle, each for members of the household only. */
export function careCircleRoutes(ctx: Context): Route[] {
  const route = (path: string, get?: HouseholdHandler, post?: HouseholdHandler): Route => ({
    path: `/care-circle${path}`,
    ...(get && { get: inHousehold(ctx, get) }),
    ...(post && { post: recentlySignedIn(inHousehold(ctx, post), ['role']) }),
  })
  return [
    route('', showCircle(ctx)),
    route('/invite', showInvite(), invite(ctx)),
    route('/invitations/:id', showInvited(ctx)),
    route('/invitations/:id/resend', undefined, resendInvitation(ctx)),
    route('/invitations/:id/cancel', showCancelInvitation(ctx), cancelInvitation(ctx)),
    route('/people/:id', showPerson(ctx), changeRole(ctx)),
    route('/people/:id/remove', showRemovePerson(ctx), removePerson(ctx)),
    route('/people/:id/hand-over', showHandOver(ctx), handOver(ctx)),
    route('/leave', showLeave(ctx), leave(ctx)),
    route('/loved-ones/new', showAddLovedOne(), addLovedOne(ctx)),
    route('/loved-ones/:id', showLovedOne(ctx), renameLovedOne(ctx)),
    route('/loved-ones/:id/address', undefined, allocateAddress(ctx)),
    route('/loved-ones/:id/retire', showRetireAddress(ctx), retireAddress(ctx)),
    route('/codes/new', showMakeCode(), makeCode(ctx)),
    route('/codes/:id/void', showVoidCode(ctx), voidCode(ctx)),
  ]
}
