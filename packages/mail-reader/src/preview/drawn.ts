/** `pageCount` is 0 for a picture. */
export type Drawn = { jpeg: Uint8Array; width: number; height: number; pageCount: number }

/** A file that is refused before any library has read it. */
export class RefusedFile extends Error {}
