/** The filter for codes that can still be used. */
export function usableCodes() {
  return { redemptionId: null, expiresAt: { $gt: new Date() } }
}

/**
 * A code as it is stored, from what a person read and typed: case, spaces and hyphens do not matter, and the letters that
 * are in no code stand for the digits they look like (Crockford's base 32).
 */
export function readProviderCode(typed: string): string {
  return typed.slice(0, 100).replaceAll(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}
