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
  'device-signed-out': 'Signed out there.',
} as const satisfies Record<string, string>

export type NoticeName = keyof typeof NOTICES

/** The words of a notice; undefined for a name there is none of. */
export function noticeText(name: string): string | undefined {
  return Object.hasOwn(NOTICES, name) ? NOTICES[name as NoticeName] : undefined
}
