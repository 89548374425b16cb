import type { Html } from '../../html.ts'
import { inboxPath, isFiltered } from '../../inbox/list-query.ts'
import type { MailList } from '../../inbox/read-list.ts'
import { emptyState } from '../../parts/empty-state.ts'

/** What is said where there is no mail: whether none came, or none fits; and the one thing to do. */
export function nothingHere({ household, query }: MailList): Html {
  if (isFiltered(query))
    return emptyState({
      title: query.unread && !query.sealedWords ? 'Nothing unread' : 'Nothing found',
      text: 'No mail here fits what you asked for.',
      action: { label: 'Show everything', href: inboxPath(query.lovedOne) },
    })
  const one = query.lovedOne ?? household.lovedOnes[0]
  if (one === undefined)
    return emptyState({
      title: 'Nobody is in your care circle yet',
      text: 'Add the person you care for. They get an address of their own, and the mail sent there is collected here.',
      action: { label: 'Go to the care circle', href: '/care-circle' },
    })
  return emptyState({
    title: 'No mail yet',
    text: 'Forward mail from doctors, pharmacies and agencies, and everybody in your care circle sees it here.',
    action: { label: 'Set up forwarding', href: `/forwarding/${one.id}` },
  })
}
