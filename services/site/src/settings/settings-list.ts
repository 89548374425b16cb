import type { SideGroup } from '../shell/sidebar.ts'

type Entry = { href: string; label: string; hint: string }

const GROUPS: { title: string; entries: Entry[] }[] = [
  {
    title: 'You',
    entries: [
      { href: '/settings/profile', label: 'Your name', hint: 'How your family sees you' },
      { href: '/settings/notifications', label: 'Notifications', hint: 'Email about new mail' },
      { href: '/settings/reply-footers', label: 'Reply footer', hint: 'A line that says who they are about' },
      { href: '/settings/passkeys', label: 'Passkeys', hint: 'Sign in without a code' },
      { href: '/settings/devices', label: 'Devices', hint: 'Where you are signed in' },
    ],
  },
  {
    title: 'Your assistants',
    entries: [
      { href: '/connect', label: 'Connect an assistant', hint: 'Step by step, for Claude and others' },
      { href: '/settings/connected-apps', label: 'Connected apps', hint: 'See and disconnect apps' },
      { href: '/settings/tool-keys', label: 'Tool keys', hint: 'For assistants on your own computer' },
      {
        href: '/settings/assistants',
        label: 'Pause and approval',
        hint: 'Pause them, or approve what they write',
      },
      { href: '/settings/notes', label: 'Notes and documents', hint: 'Whether assistants can read them' },
      { href: '/settings/agent-activity', label: 'Assistant activity', hint: 'Every call they made' },
    ],
  },
  {
    title: 'Your data',
    entries: [{ href: '/settings/your-data', label: 'Your data', hint: 'Download, leave, or delete' }],
  },
]

/** All settings pages. The page with this title, or the one above it, is marked as current. */
export function settingsList(title: string, above?: string): SideGroup[] {
  return GROUPS.map(({ title: group, entries }) => ({
    title: group,
    links: entries.map((entry) => ({ ...entry, isCurrent: entry.label === title || entry.href === above })),
  }))
}
