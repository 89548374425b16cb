/** Limits of what tools take and give (SPEC "Limits"), as anyone may know them. Lengths are in UTF-16 code units. */

/** Of a message's preview in a list. */
export const PREVIEW_CHARACTERS = 280
/** Of a message's body. */
export const BODY_CHARACTERS = 8000
/** The most entries one list may be asked for. */
export const MOST_LISTED = 50
