/**
 * What a page says about the deed that led to it. The name of a notice goes through a cookie, for one page and a minute, so
 * that nothing about a family is ever in an address. Each is a full sentence that is true whoever reads it.
 */
export const NOTICES = {
  'loved-one-added': 'Added. The address below is theirs alone: forward their mail to it.',
  'address-allocated': 'The address is ready. Forward their mail to it.',
  'address-retired': 'The address takes no mail any more. What arrived before is still here.',
  'loved-one-renamed': 'The name is changed, for everybody in the care circle.',
  'role-changed': 'Saved. What they may do is different from now on.',
  'person-removed': 'Removed. They see nothing of this care circle any more.',
  'handed-over': 'Handed over. You are a coordinator now.',
  left: 'You have left the care circle, and see nothing of it any more.',
  'invitation-cancelled': 'The invitation is taken back. Its link leads nowhere now.',
  'code-voided': 'The code is worthless now.',
  'name-saved': 'Saved. Your family sees the new name from now on.',
  'key-revoked': 'Revoked. Whatever used that key is shut out.',
  'app-disconnected': 'Disconnected. That app is shut out.',
  'notifications-none': 'Saved. We do not write to you about new mail here.',
  'notifications-each': 'Saved. We write to you soon after new mail arrives here.',
  'notifications-digest': 'Saved. We write to you at eight in the morning when there is new mail here.',
  'workspace-deleted': 'Deleted. Nobody can open it any more.',
  confirmed: 'Thank you. You can continue now; what you typed is still here.',
  'passkey-added': 'Passkey added. You can sign in with it from now on.',
  'passkey-removed': 'Passkey removed. Nobody can sign in with it now.',
  'no-longer-member':
    'You no longer have access to that family’s inbox. Its owner removed you, or deleted it. Ask them if you think this is a mistake.',
  'device-signed-out': 'Signed out there.',
  'all-read': 'Everything you saw is marked as read. Your family’s own marks are not changed.',
  'reply-sent': 'Your reply is on its way. Below you see how far it has come.',
  'category-changed': 'Filed there now, for everybody.',
  'marked-unread': 'Marked as unread, for you alone.',
} as const satisfies Record<string, string>

export type NoticeName = keyof typeof NOTICES

/** The words of a notice; undefined for a name there is none of. */
export function noticeText(name: string): string | undefined {
  return Object.hasOwn(NOTICES, name) ? NOTICES[name as NoticeName] : undefined
}
