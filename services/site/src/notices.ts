/**
 * What a page says about the deed that led to it. The name of a notice goes through a cookie, for one page and a minute, so
 * that nothing about a family is ever in an address. Each is a full sentence that is true whoever reads it.
 */
export const NOTICES = {
  'loved-one-added': 'Added. The address below is theirs alone: forward their mail to it.',
  'address-allocated': 'The address is ready. Forward their mail to it.',
} as const satisfies Record<string, string>

export type NoticeName = keyof typeof NOTICES

/** The words of a notice; undefined for a name there is none of. */
export function noticeText(name: string): string | undefined {
  return Object.hasOwn(NOTICES, name) ? NOTICES[name as NoticeName] : undefined
}
