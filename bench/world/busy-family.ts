import type { Member } from '@family-inbox/care-circle/models/member'
import { type Message, messageIdOf } from '@family-inbox/inbox/models/message'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { ourPeer } from '../peers/peer.ts'
import { makeAgencies } from './agencies.ts'
import { type CalendarSize, fillCalendar } from './fill-calendar.ts'
import { fillCare } from './fill-care.ts'
import { fillInbox } from './fill-inbox.ts'
import { indexInbox } from './index-inbox.ts'
import { mintFeeds } from './mint-feeds.ts'
import { postEvent } from './post-event.ts'
import { signIn } from './sign-in.ts'
import { workThroughInbox } from './work-through-inbox.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

export type FamilySize = { messages: number; careEvents: number; appointments: CalendarSize }

/** Signed in as its owner. `feeds` are the paths of calendar addresses. */
export type BusyFamily = { cookie: string; feeds: string[] }

const FEEDS = 40

/** A family that has been using everything for a while: mail, what became of it, a calendar and a timeline. */
export async function makeBusyFamily(stack: Stack, size: FamilySize): Promise<BusyFamily> {
  await using workspace = await makeWorkspace(stack)
  const { family, lovedOneId, collection } = workspace
  const members = await collection<Member>('careCircle', 'members')
    .find({ workspaceId: family.workspaceId })
    .sort({ joinedAt: 1 })
    .toArray()
  await fillInbox(workspace, { lovedOneId, count: size.messages, shorten: true })
  await indexInbox(workspace, lovedOneId)
  await workThroughInbox(workspace, lovedOneId, members)
  const personIds = members.map(({ personId }) => personId)
  const sources = await Promise.all(
    family.lovedOnes.map(async ({ id }) => ({ lovedOneId: id, personIds, messageIds: await newest(workspace, id) })),
  )
  await fillCalendar(workspace, size.appointments, sources)
  const [agency] = await makeAgencies(stack, family, 1)
  if (agency === undefined) throw new Error('there is no agency')
  await fillCare(workspace, await postEvent(workspace, ourPeer(stack), agency), size.careEvents)
  const feeds = await mintFeeds(workspace, members[0] as Member, FEEDS)
  return { cookie: await signIn(stack, family.people.owner), feeds }
}

const MAIL_WITH_APPOINTMENTS = 5000

async function newest({ collection }: Workspace, lovedOneId: string): Promise<string[]> {
  const rows = await collection<Message>('inbox', 'messages')
    .find({ lovedOneId }, { projection: { _id: 1 } })
    .sort({ receivedAt: -1, _id: -1 })
    .limit(MAIL_WITH_APPOINTMENTS)
    .toArray()
  return rows.map(messageIdOf)
}
