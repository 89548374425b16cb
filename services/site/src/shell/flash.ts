import { type Html, html } from './html.ts'

/** Shown once, on the page after an action. Only the name travels, in a cookie, so no family data ends up in an address. */
const FLASH_MESSAGES = {
  'loved-one-added': 'Added. Forward their mail to the address below.',
  'address-allocated': 'The address is ready. Forward their mail to it.',
  'address-retired': 'The address no longer accepts mail. Earlier messages are still here.',
  'loved-one-renamed': 'Name saved. Everyone in the care circle sees it.',
  'role-changed': 'Saved. Their new role applies now.',
  'person-removed': 'Removed. They no longer have access to this care circle.',
  'handed-over': 'Care circle handed over. You are now a coordinator.',
  joined: 'You’ve joined. Everyone in the care circle sees you now.',
  left: 'You have left the care circle and no longer have access to it.',
  'invitation-sent': 'Invitation sent. If you need its link, open the invitation and send it again.',
  'sandbox-deleted':
    'Inbox deleted, with everything in it. Its address no longer accepts mail and will never be reused.',
  'invitation-canceled': 'Invitation canceled. Its link no longer works.',
  'code-canceled': 'Code canceled.',
  'agency-unlinked': 'Agency unlinked. What it sent is being deleted from the timeline.',
  'name-saved': 'Name saved. Your family sees it from now on.',
  'key-revoked': 'Key revoked. Anything that used it has lost access.',
  'app-disconnected': 'App disconnected. It no longer has access.',
  'footer-saved': 'Saved. Replies end with this line from now on.',
  'footer-removed': 'Saved. Nothing is added to replies.',
  'notifications-none': 'Saved. You won’t get notifications for this inbox.',
  'notifications-personal': 'Saved. You’ll only get an email about what’s for you.',
  'notifications-each': 'Saved. You’ll get a notification soon after new mail arrives.',
  'notifications-digest': 'Saved. You’ll get a notification at 8 in the morning when there is new mail.',
  'device-told': 'This device gets notices now.',
  'device-not-told': 'This browser’s push service is not known here, so nothing was changed.',
  'device-not-told-anymore': 'Turned off. That device gets no more notices.',
  'appointment-added': 'Added. Everyone in the care circle sees it.',
  'appointment-changed': 'Saved. Everyone in the care circle sees the change.',
  'appointment-canceled': 'Canceled for your family.',
  'sender-removed': 'Removed. Their messages are still in the inbox.',
  going: 'Saved. Your family sees that you’re going. You get an email if someone else changes it.',
  'not-going': 'Saved. Your family sees that you can’t go.',
  'feed-revoked': 'Address revoked. Calendars that used it get no more appointments.',
  'workspace-deleted': 'Deleted. Nobody can open it anymore.',
  confirmed: 'Thank you. You can continue now. What you typed is still here.',
  'passkey-added': 'Passkey added. You can now sign in with it.',
  'passkey-removed': 'Passkey removed. It can no longer be used to sign in.',
  'passkeys-asked': 'Saved. Everyone sees a notice until they sign in with a passkey only.',
  'passkeys-not-asked': 'Saved. The notice is gone.',
  'passkey-only': 'Saved. Only a passkey signs you in now. Your other devices are signed out.',
  'codes-again': 'Saved. Codes by email sign you in again.',
  'no-longer-member':
    'You no longer have access to that family’s inbox. Its owner removed you or deleted it. If you think this is a mistake, ask them.',
  'device-signed-out': 'That device is signed out.',
  'all-read': 'Marked as read for you. Nothing changed for the rest of your family.',
  'reply-sent': 'Sending your reply.',
  'reply-sent-done': 'Sending your reply. Marked as done.',
  'answer-sent': 'Sending your answer.',
  'answer-sent-not-going': 'Sending your answer. That you go along wasn’t saved: choose “I’ll go” in the calendar.',
  'recipient-allowed': 'Allowed. Mail to this address is sent again from now on.',
  'reply-undone': 'Your reply was not sent. Its text is in the form again.',
  'undo-too-late': 'Too late to undo: your reply is on its way.',
  'file-not-added':
    'A file was not added. You can add JPEG, PNG, GIF and WebP pictures and PDFs, up to 20 MB together.',
  'proposal-sent': 'Sending the reply.',
  'proposal-declined': 'Declined. Nothing was sent.',
  'proposal-gone': 'Someone already decided about this, or it waited too long.',
  'access-changed': 'Saved. It applies from the next call on.',
  'assistant-paused': 'Paused. Its next call is refused.',
  'assistant-resumed': 'Resumed. It can work again.',
  'assistants-changed': 'Saved. It applies to every call from now on.',
  'draft-saved': 'Draft saved. Only you can see it.',
  'category-changed': 'Category changed for everyone.',
  'marked-unread': 'Marked as unread for you.',
  'message-taken': 'You’re on it now. Your family sees that.',
  'message-handed-over': 'Given to them. They get an email that says so.',
  'message-given-back': 'Released. Anyone can take it now.',
  'message-done': 'Marked as done for everyone. New mail opens it again.',
  'message-not-needed': 'Marked “No action needed” for everyone. New mail opens it again.',
  'message-open-again': 'Open again for everyone.',
  'urgent-taken': 'You’re on it now. Your family sees that.',
  'urgent-released': 'Released. It is at the top of every page until someone takes it.',
  'someone-was-faster': 'Someone else changed this first.',
  'note-added': 'Note added. Only your family sees it.',
  'note-added-named': 'Note added. Whom it names gets an email without its text.',
  'note-deleted': 'Note deleted.',
  'reminder-set': 'Reminder set.',
  'reminder-removed': 'Reminder removed.',
  'reminder-day-passed': 'That morning has passed. Choose a later day.',
  'reading-changed': 'Saved. It counts from your assistants’ next call.',
} as const satisfies Record<string, string>

export type FlashName = keyof typeof FLASH_MESSAGES

export function readFlash(cookie: string): FlashName | undefined {
  return Object.hasOwn(FLASH_MESSAGES, cookie) ? (cookie as FlashName) : undefined
}

/** Above the bar at the bottom for some seconds, wherever the page was scrolled to. */
export function flashToast(name: FlashName, undo: Html | undefined): Html {
  return html`<div class="done${undo && ' undoable'}" role="status">${FLASH_MESSAGES[name]}${undo && html` ${undo}`}</div>`
}
