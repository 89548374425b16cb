import { services } from '@family-inbox/local-stack/services'

/** The databases of all services that own data. */
export function databaseNames(): string[] {
  return services.flatMap(({ database = [] }) => database)
}
