import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { recentlySignedIn, signedIn } from '../shell/session.ts'
import { allowRecipient } from '../shell/stopped-recipient.ts'
import type { Visit } from '../shell/visit.ts'
import { inWorkspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { acceptInvitation, showInvitation } from './accept-invitation.ts'
import { addLovedOne, showAddLovedOne } from './add-loved-one.ts'
import { askForPasskeys } from './ask-for-passkeys.ts'
import { showCircle } from './circle.ts'
import { besideCircle } from './circle-list.ts'
import { cancelInvitation, resendInvitation, showCancelInvitation, showInvited } from './invitation.ts'
import { showInvitationSent } from './invitation-sent.ts'
import { INVITE_FIELDS, invite, showInvite } from './invite.ts'
import { allocateAddress, renameLovedOne, retireAddress, showLovedOne, showRetireAddress } from './loved-one.ts'
import { changeRole, handOver, showHandOver, showPerson } from './person.ts'
import { cancelCode, createCode, showCancelCode, showCode, showCreateCode } from './provider-code.ts'
import { leave, removePerson, showLeave, showRemovePerson } from './remove-member.ts'
import { showUnlinkAgency, unlinkAgency } from './unlink-agency.ts'

export function careCircleRoutes(ctx: Context): Route[] {
  const route = (path: string, get?: WorkspaceHandler, post?: WorkspaceHandler): Route => ({
    path: `/care-circle${path}`,
    ...(get && { get: inWorkspace(ctx, besideCircle(ctx, get)) }),
    ...(post && { post: recentlySignedIn(inWorkspace(ctx, besideCircle(ctx, post)), INVITE_FIELDS) }),
  })
  return [
    route('', showCircle(ctx)),
    route('/invite', showInvite(), invite(ctx)),
    route('/invited', showInvitationSent(ctx)),
    route('/invitations/:id', showInvited(ctx)),
    route('/invitations/:id/allow', undefined, allowRecipient(ctx, toInvitation)),
    route('/invitations/:id/resend', undefined, resendInvitation(ctx)),
    route('/invitations/:id/cancel', showCancelInvitation(ctx), cancelInvitation(ctx)),
    route('/people/:id', showPerson(ctx), changeRole(ctx)),
    route('/people/:id/allow', undefined, allowRecipient(ctx, toPerson)),
    route('/people/:id/remove', showRemovePerson(), removePerson(ctx)),
    route('/people/:id/hand-over', showHandOver(), handOver(ctx)),
    route('/passkeys', undefined, askForPasskeys(ctx)),
    route('/leave', showLeave(ctx), leave(ctx)),
    route('/loved-ones/new', showAddLovedOne(), addLovedOne(ctx)),
    route('/loved-ones/:id', showLovedOne(ctx), renameLovedOne(ctx)),
    route('/loved-ones/:id/address', undefined, allocateAddress(ctx)),
    route('/loved-ones/:id/retire', showRetireAddress(ctx), retireAddress(ctx)),
    route('/codes/new', showCreateCode(), createCode(ctx)),
    route('/codes/created', showCode()),
    route('/codes/:id/cancel', showCancelCode(ctx), cancelCode(ctx)),
    route('/agencies/:id/unlink', showUnlinkAgency(ctx), unlinkAgency(ctx)),
    { path: '/invitation/:token', get: showInvitation(ctx), post: signedIn(ctx, acceptInvitation(ctx)) },
  ]
}

function toInvitation(visit: Visit): string {
  return `/care-circle/invitations/${visit.id('id')}`
}

function toPerson(visit: Visit): string {
  return `/care-circle/people/${visit.id('id')}`
}
