/** Limits for one mail (PROMISES.md P31). Beyond them, the message is `truncated`; the original is kept whole. */

export const MAX_HEADER_FIELDS = 1000
export const MAX_FIELD_CHARS = 32 * 1024

/** MIME entities in one mail, including multiparts and nested messages; also limits nesting depth. */
export const MAX_PARTS = 1000

export const MAX_BOUNDARY_CANDIDATES = 100_000

/** Nested messages that are themselves base64 or quoted-printable. */
export const MAX_ENCODED_MESSAGE_DEPTH = 5

export const MAX_ATTACHMENTS = 200
export const MAX_ADDRESSES = 100
export const MAX_REFERENCES = 50

/** Plain parts that are compared with the HTML beside them. */
export const MAX_COMPARISONS = 20

/** UTF-16 code units. */
export const MAX_TEXT_CHARS = 256 * 1024
export const MAX_HTML_CHARS = 1024 * 1024
export const MAX_SUBJECT_CHARS = 1000

/** After removing styles, scripts, comments and data: URLs. */
export const MAX_MARKUP_CHARS = 256 * 1024

export const MAX_TEXT_PART_BYTES = 4 * 1024 * 1024
