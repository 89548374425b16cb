/**
 * What one mail may cost (PROMISES.md P31). The original is always kept whole: beyond these bounds text and attachment
 * metadata are left out and the message is marked `truncated`, it is never refused or lost.
 */

/** Header fields read from one header block, and characters read from one field. */
export const MAX_HEADER_FIELDS = 1000
export const MAX_FIELD_CHARS = 32 * 1024

/** MIME entities in one mail, counting multiparts and nested messages; also bounds the nesting depth. */
export const MAX_PARTS = 1000

/** Lines that begin with `--` and are compared with the open boundaries. */
export const MAX_BOUNDARY_CANDIDATES = 100_000

/** A forwarded message that is itself base64 or quoted-printable has to be decoded before it can be read. */
export const MAX_ENCODED_MESSAGE_DEPTH = 5

export const MAX_ATTACHMENTS = 200
export const MAX_ADDRESSES = 100
export const MAX_REFERENCES = 50

/** UTF-16 code units. */
export const MAX_TEXT_CHARS = 256 * 1024
export const MAX_HTML_CHARS = 1024 * 1024
export const MAX_SUBJECT_CHARS = 1000

/** Markup handed to the HTML converter, after styles, scripts, comments and data: URLs are gone. */
export const MAX_MARKUP_CHARS = 256 * 1024

/** Bytes of one encoded text part that are decoded at all. */
export const MAX_TEXT_PART_BYTES = 4 * 1024 * 1024
