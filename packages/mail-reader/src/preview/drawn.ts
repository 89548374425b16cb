/** `pageCount` is 0 for a picture. */
export type Drawn = { jpeg: Uint8Array; width: number; height: number; pageCount: number }

export class RefusedFile extends Error {}

/** Why nobody can read a document here: it needs a password, or its bytes are no PDF. */
export type DocumentProblem = 'locked' | 'damaged'

export class UnreadableDocument extends RefusedFile {
  readonly problem: DocumentProblem

  constructor(problem: DocumentProblem) {
    super(`the document is ${problem}`)
    this.problem = problem
  }
}

/** @throws any other error */
export function problemOf(error: unknown): DocumentProblem {
  if (error instanceof UnreadableDocument) return error.problem
  throw error
}
