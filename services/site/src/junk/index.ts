import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { inWorkspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { blockSender, showBlockSender } from './block-sender.ts'
import { searchAside, showAside } from './list.ts'
import { deleteNotOurs, showNotOurs } from './not-ours.ts'
import { showMessageAside } from './open.ts'
import { PLACES, type PlaceName } from './places.ts'
import { deleteForGood, putBack, showDeleteForGood } from './put-back.ts'

/** Mail outside of the inbox, and how it gets there for good. Moving a message is a form of its page (inbox/move-message.ts). */
export function junkRoutes(ctx: Context): Route[] {
  const route = (path: string, get?: WorkspaceHandler, post?: WorkspaceHandler): Route => ({
    path,
    ...(get && { get: inWorkspace(ctx, get) }),
    ...(post && { post: inWorkspace(ctx, post) }),
  })
  const message = '/inbox/:lovedOneId/:messageId'
  return [
    ...(Object.keys(PLACES) as PlaceName[]).flatMap((name) => {
      const aside = `/${name}/:lovedOneId/:messageId`
      return [
        route(`/${name}`, showAside(ctx, name)),
        route(`/${name}/search`, undefined, searchAside(ctx, name)),
        route(aside, showMessageAside(ctx, name)),
        route(`${aside}/restore`, undefined, putBack(ctx)),
        route(`${aside}/delete`, showDeleteForGood(ctx, name), deleteForGood(ctx, name)),
      ]
    }),
    route(`${message}/block`, showBlockSender(ctx), blockSender(ctx)),
    route(`${message}/not-ours`, showNotOurs(ctx), deleteNotOurs(ctx)),
  ]
}
