import type { Migration } from '@family-inbox/service-kit/mongo/migrate'

/** What brings the database from each version of its schema to the next, oldest first. Never taken out or put elsewhere. */
export const migrations: readonly Migration[] = []
