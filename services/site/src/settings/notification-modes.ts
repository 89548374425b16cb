import { NotificationMode } from '@family-inbox/proto/inbox/v1/inbox'

/** What the form of notifications can say, and what it means to inbox. */
export const NOTIFICATION_MODES = {
  none: NotificationMode.NONE,
  each: NotificationMode.EACH,
  digest: NotificationMode.DIGEST,
} as const

/** The form's word for a mode; `none` for one it does not know. */
export function wordOfMode(mode: NotificationMode): string {
  return Object.entries(NOTIFICATION_MODES).find(([, known]) => known === mode)?.[0] ?? 'none'
}
