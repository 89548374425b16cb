import { requireLine } from '@family-inbox/service-kit/text-rules'
import type { Context } from '../context.ts'
import { toFieldErrors } from '../form-errors.ts'
import { safeReturnTo } from '../http/return-to.ts'
import type { Visit } from '../http/visit.ts'
import { welcomePage } from '../pages/welcome.ts'
import { asPerson, asSite, type Session, type SignedInHandler, toViewer } from '../session.ts'

/**
 * Makes a household, keeps the session in it, and adds the first loved one with their address. Should something be away
 * half-way, the household is there and the first page offers what is missing.
 */
export function createHousehold(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const values = readAnswers(visit)
    const returnTo = safeReturnTo(visit.field('return_to'))
    try {
      requireLine('lovedOne', values.lovedOne, 120)
      await makeHousehold(ctx, visit, session, values)
    } catch (error) {
      const errors = toFieldErrors(error, WORDS, FIELDS)
      return { status: 422, page: welcomePage({ viewer: toViewer(session), returnTo, values, errors }) }
    }
    return { redirectTo: returnTo }
  }
}

type Answers = { lovedOne: string; relationship: string; yourName: string; familyName: string }

function readAnswers(visit: Visit): Answers {
  const answer = (name: string) => visit.field(name).slice(0, 1000)
  return {
    lovedOne: answer('lovedOne'),
    relationship: answer('relationship'),
    yourName: answer('yourName'),
    familyName: answer('familyName'),
  }
}

async function makeHousehold(ctx: Context, visit: Visit, session: Session, values: Answers): Promise<void> {
  const { workspaceId } = await ctx.careCircle.createWorkspace(
    { name: values.familyName, ownerName: values.yourName, relationship: values.relationship },
    asPerson(session, visit),
  )
  const bound = await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId }, asSite(visit))
  const { lovedOne } = await ctx.careCircle.addLovedOne({ name: values.lovedOne }, asPerson(bound, visit))
  await ctx.inbox.allocateInboxAddress({ lovedOneId: lovedOne?.id ?? '' }, asPerson(bound, visit))
}

const FIELDS = { name: 'familyName', ownerName: 'yourName' }

const WORDS = {
  lovedOne: 'Type the name of the person you care for, up to 120 characters',
  relationship: 'Say what you are to them in up to 60 characters, or leave it empty',
  yourName: 'Type your own name, up to 120 characters',
  familyName: 'Type a name for your family’s inbox, up to 120 characters',
}
