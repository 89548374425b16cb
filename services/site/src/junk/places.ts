import { AsidePlace, type MessageAside } from '@family-inbox/proto/inbox/v1/inbox'

export type PlaceName = 'junk' | 'deleted'

type Place = { place: AsidePlace; label: string; hint: string; empty: { title: string; text: string } }

export const PLACES: Record<PlaceName, Place> = {
  junk: {
    place: AsidePlace.JUNK,
    label: 'Junk',
    hint: 'Nobody is notified about this mail, and assistants don’t get it. After 30 days it is deleted for good.',
    empty: {
      title: 'No junk',
      text: 'Mail that your family moves to Junk, and mail from senders you block, is kept here for 30 days.',
    },
  },
  deleted: {
    place: AsidePlace.DELETED,
    label: 'Deleted',
    hint: 'You can put these back for 30 days. Then they are deleted for good. Viewers don’t see this page.',
    empty: { title: 'Nothing was deleted', text: 'What your family deletes is kept here for 30 days.' },
  },
}

export function asidePath(name: PlaceName, { lovedOneId, id }: Pick<MessageAside, 'lovedOneId' | 'id'>): string {
  return `/${name}/${encodeURIComponent(lovedOneId)}/${encodeURIComponent(id)}`
}
