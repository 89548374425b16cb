import type { SideGroup } from '../shell/sidebar.ts'

export const MAILBOXES = { label: 'Fetched mailboxes', href: '/settings/mailboxes' }

export const ASSISTANTS = { label: 'Your assistants', href: '/settings/assistants' }

export const FAMILY_ACTIVITY = { label: 'Family activity', href: '/settings/family-activity' }

type Entry = { href: string; label: string; hint: string }

const GROUPS: { title: string; entries: Entry[] }[] = [
  {
    title: 'You',
    entries: [
      { href: '/settings/profile', label: 'Your name', hint: 'How your family sees you' },
      { href: '/settings/notifications', label: 'Notifications', hint: 'Email about new mail' },
      { href: '/settings/reply-footers', label: 'Reply footer', hint: 'A line that says who a reply is about' },
      { href: '/settings/passkeys', label: 'Passkeys', hint: 'Sign in without a code' },
      { href: '/settings/devices', label: 'Devices', hint: 'Where you are signed in' },
    ],
  },
  {
    title: 'Your family',
    entries: [
      { ...ASSISTANTS, hint: 'What they can do, and what they did' },
      { ...FAMILY_ACTIVITY, hint: 'Who opened, shared, or changed what' },
      { href: '/settings/blocked-senders', label: 'Blocked senders', hint: 'Whose mail goes to Junk' },
      { ...MAILBOXES, hint: 'Mail that can’t be forwarded' },
      { href: '/settings/address-book', label: 'Address book', hint: 'Whom you can write to' },
      { href: '/settings/your-data', label: 'Your data', hint: 'Download, leave, or delete' },
    ],
  },
]

/** All settings pages. The page with this title, or the one above it, is marked as current. */
export function settingsList(title: string, above?: string): SideGroup[] {
  return GROUPS.map(({ title: group, entries }) => ({
    title: group,
    links: entries.map((entry) => ({ ...entry, isCurrent: entry.label === title || entry.href === above })),
  }))
}
