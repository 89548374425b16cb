import { Outcome } from '@family-inbox/proto/auth/v1/auth'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../../context.ts'
import type { Household, HouseholdHandler } from '../../household.ts'
import type { Visit } from '../../http/visit.ts'
import { agentActivityPage } from '../../pages/settings/agent-activity.ts'
import { asPerson } from '../../session.ts'
import { describeCalls, TOOLS } from '../../settings/describe-calls.ts'

const PAGE_SIZE = 100

/** Shows what assistants did: the reader's own, and everyone's to the owner. auth decides who sees what. */
export function showAgentActivity(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const person = asPerson(household.session, visit)
    const filter = readFilter(visit, household)
    const pageToken = visit.query('after')
    const request = {
      pageSize: PAGE_SIZE,
      pageToken,
      tool: filter.tool,
      outcomes: OUTCOMES[filter.ended] ?? [],
      personId: filter.person,
    }
    const [{ calls, credentials, nextPageToken }, { members }] = await Promise.all([
      ctx.auth.listCalls(request, person),
      ctx.careCircle.listMembers({}, person),
    ])
    const people = members.filter(({ personId }) => personId !== '')
    const nameOf = new Map(people.map(({ personId, name }) => [personId, name]))
    const readers = { readerId: household.session.personId, nameOf }
    const page = agentActivityPage({
      household,
      clock: visit.clock,
      days: describeCalls(calls, credentials, readers, visit.clock),
      filter,
      people: household.role === Role.OWNER ? people : [],
      nextPageToken,
      isFirstPage: pageToken === '',
    })
    return { page }
  }
}

/** What the page's form can say; anything else is as if it were not said. */
function readFilter(visit: Visit, { role }: Household) {
  const [tool, ended] = [visit.query('tool'), visit.query('ended')]
  return {
    tool: Object.hasOwn(TOOLS, tool) ? tool : '',
    ended: Object.hasOwn(OUTCOMES, ended) ? ended : '',
    person: role === Role.OWNER ? visit.query('person').slice(0, 128) : '',
  }
}

const OUTCOMES: Readonly<Record<string, Outcome[]>> = {
  done: [Outcome.OK],
  refused: [Outcome.REFUSED, Outcome.INSUFFICIENT_SCOPE, Outcome.RATE_LIMITED, Outcome.FAILED, Outcome.UNAUTHENTICATED],
}
