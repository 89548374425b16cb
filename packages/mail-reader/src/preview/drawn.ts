/** `pageCount` is 0 for a picture. */
export type Drawn = { jpeg: Uint8Array; width: number; height: number; pageCount: number }

export class RefusedFile extends Error {}
