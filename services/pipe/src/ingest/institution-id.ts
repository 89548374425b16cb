/** Letters, digits, dots, hyphens and underscores; it begins and ends with a letter or a digit. */
const INSTITUTION_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/

export function isInstitutionId(text: string): boolean {
  return INSTITUTION_ID.test(text)
}

/**
 * The names a partner may have that may use this institution id: the id itself, or a namespace it lies in, which ends in a
 * dot. `sunrise.north.2` gives itself, `sunrise.north.` and `sunrise.`.
 */
export function partnerNamesFor(institutionId: string): string[] {
  const parts = institutionId.split('.')
  const namespaces = parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('.')}.`)
  return [institutionId, ...namespaces.reverse()]
}
