/** How it begins, in base64, too: of text, and of UTF-16 with and without its mark. */
const BEGIN = /^(?:\ufeff|ï»¿|ÿþ|þÿ)?[\s\0]*B\0?E\0?G\0?I\0?N\0?:\0?V\0?C\0?A\0?L\0?E\0?N\0?D\0?A\0?R/i
const ENCODED = /^\s*(?:77u\/)?QkVHSU46VkNBTEVOREFS/
const LOOKED_AT = 200
const NAME = /\.(?:ics|ical|icalendar|vcs)$/i

/** Whether a file begins like a calendar, whatever its type. Also before its transfer encoding is undone. */
export function beginsLikeCalendar(content: Buffer): boolean {
  const begin = content.subarray(0, LOOKED_AT).toString('latin1')
  return BEGIN.test(begin) || ENCODED.test(begin)
}

export function isCalendarName(filename: string): boolean {
  return NAME.test(filename)
}
