import type { Context } from '../context.ts'
import type { Reply } from '../http/reply.ts'
import type { Visit } from '../http/visit.ts'
import { deleteAccountPage } from '../pages/settings/delete-account.ts'
import type { FieldErrors } from '../parts/field.ts'
import { asPerson, type Session, toViewer } from '../session.ts'

export type DeleteAccountForm = { values: { confirm: string }; errors: FieldErrors }

/** Draws the question, with every household the reader would leave; also after the form was refused. */
export async function deleteAccountReply(
  ctx: Context,
  visit: Visit,
  session: Session,
  form?: DeleteAccountForm,
): Promise<Reply> {
  const { workspaces } = await ctx.careCircle.listWorkspaces({}, asPerson(session, visit))
  const households = workspaces.map(({ name }) => name)
  const viewer = toViewer(session)
  const page = deleteAccountPage({
    viewer,
    households,
    ...(form ?? { values: { confirm: visit.kept('confirm') }, errors: {} }),
  })
  return { page, status: form ? 422 : 200 }
}
