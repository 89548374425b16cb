import { services } from '@family-inbox/local-stack/services'

export function databaseNames(): string[] {
  return services.flatMap(({ database = [] }) => database)
}
