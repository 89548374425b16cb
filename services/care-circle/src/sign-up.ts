import type { Principal } from '@family-inbox/service-kit/rpc/identity'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from './context.ts'

type SignUpContext = Pick<Context, 'readSwitches' | 'members'>
/** The operator may do what people may not, such as create a demo family. */
type Asker = Pick<Principal, 'personId' | 'holder'>

/** Unless sign-up is open, a family is created only by someone who is in one here. @throws StatusError PERMISSION_DENIED */
export async function requireMayFound(ctx: SignUpContext, asker: Asker): Promise<void> {
  const { signUp } = await ctx.readSwitches()
  if (signUp === 'open' || (await isKnown(ctx, asker))) return
  throw new StatusError(
    'PERMISSION_DENIED',
    'This installation takes new people by invitation only, so you can’t create a family here. Ask its operator.',
  )
}

/** While sign-up is closed, an invitation admits only people who are in a family here. @throws StatusError PERMISSION_DENIED */
export async function requireMayJoin(ctx: SignUpContext, asker: Asker): Promise<void> {
  const { signUp } = await ctx.readSwitches()
  if (signUp !== 'closed' || (await isKnown(ctx, asker))) return
  throw new StatusError(
    'PERMISSION_DENIED',
    'This installation isn’t taking new people at the moment. Ask its operator.',
  )
}

/** While sign-up is closed nobody is invited, members of other families included: a refusal would name them. @throws StatusError FAILED_PRECONDITION */
export async function requireInvitationsOpen(
  { readSwitches }: Pick<Context, 'readSwitches'>,
  { holder }: Pick<Principal, 'holder'>,
): Promise<void> {
  if (holder === OPERATOR || (await readSwitches()).signUp !== 'closed') return
  throw new StatusError(
    'FAILED_PRECONDITION',
    'This installation isn’t taking new people at the moment, so you can’t invite anyone. Ask its operator.',
  )
}

const OPERATOR = 'ops'

async function isKnown({ members }: SignUpContext, { personId, holder }: Asker): Promise<boolean> {
  return holder === OPERATOR || (await members.exists({ personId })) !== null
}
