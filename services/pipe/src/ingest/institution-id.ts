const INSTITUTION_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/

export function isInstitutionId(text: string): boolean {
  return INSTITUTION_ID.test(text)
}

/**
 * Lists the partner names that may use an institution id: the id itself and its namespaces. `sunrise.north.2` gives itself,
 * `sunrise.north.` and `sunrise.`.
 */
export function partnerNamesFor(institutionId: string): string[] {
  const parts = institutionId.split('.')
  const namespaces = parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('.')}.`)
  return [institutionId, ...namespaces.reverse()]
}
