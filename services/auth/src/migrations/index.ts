import type { Migration } from '@family-inbox/service-kit/mongo/migrate'

/** Schema migrations, oldest first. Never remove or reorder one. */
export const migrations: readonly Migration[] = []
