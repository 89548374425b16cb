import { type CalendarFeed, hashFeedToken } from '@family-inbox/care-circle/models/calendar-feed'
import type { Member } from '@family-inbox/care-circle/models/member'
import { newId, randomText } from '@family-inbox/service-kit/ids/ids'
import type { Workspace } from './workspace.ts'

/** Creates calendar addresses of a member, enough to read one after the other without reaching the limit of each. */
export async function mintFeeds(
  { collection }: Workspace,
  { workspaceId, personId, joinedAt }: Member,
  count: number,
): Promise<string[]> {
  const tokens = Array.from({ length: count }, () => randomText(32))
  const rows = tokens.map((token) => ({
    _id: newId('feed'),
    workspaceId,
    personId,
    memberSince: joinedAt,
    lovedOneId: '',
    withDetails: true,
    tokenHash: hashFeedToken(token),
    createdAt: new Date(),
  }))
  await collection<CalendarFeed>('careCircle', 'calendar_feeds').insertMany(rows)
  return tokens.map((token) => `/calendar/${token}.ics`)
}
