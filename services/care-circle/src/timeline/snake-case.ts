/** Agencies write identifiers in either way: `staffName` becomes `staff_name`. */
export function toSnakeCase(identifier: string): string {
  return identifier.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
}
