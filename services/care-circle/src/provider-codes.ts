/** Filter for codes that can be used. */
export function usableCodes() {
  return { redemptionId: null, expiresAt: { $gt: new Date() } }
}

/** Normalizes a typed code: case, spaces and hyphens do not matter, O reads as 0, I and L as 1 (Crockford base 32). */
export function readProviderCode(typed: string): string {
  return typed.slice(0, 100).replaceAll(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}
