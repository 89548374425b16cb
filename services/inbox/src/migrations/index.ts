import type { Migration } from '@family-inbox/service-kit/mongo/migrate'
import { dateOriginals } from './date-originals.ts'

/** Schema migrations, oldest first. Never remove or reorder one. */
export const migrations: readonly Migration[] = [dateOriginals]
