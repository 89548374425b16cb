/** Whether somebody typed what they were asked to type: however the case, the spaces around it and the accents are written. */
export function isConfirmed(typed: string, asked: string): boolean {
  return plain(typed) === plain(asked)
}

function plain(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase()
}
