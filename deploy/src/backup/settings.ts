import { join, resolve } from 'node:path'
import { parseSettings } from '@family-inbox/service-kit/config/config'
import { z } from 'zod'

export const settings = z.object({
  DATA_DIR: z.string().default('.data').describe('the folder for all data, for example .data'),
  BACKUP_DIR: z
    .string()
    .optional()
    .describe('the folder of the encrypted backups, for example /mnt/backups; default: `backups` in DATA_DIR'),
  BACKUP_COPY_COMMAND: z
    .string()
    .optional()
    .describe(
      'a shell command that copies a file to another machine, each encrypted backup and the workspace-keys.tar.gz.age beside it, for example rclone copy "$1" elsewhere:backups',
    ),
})

/** @throws ConfigError */
export function readBackupSettings(env: Readonly<Record<string, string | undefined>>) {
  const { DATA_DIR, BACKUP_DIR, BACKUP_COPY_COMMAND } = parseSettings(settings, env)
  const dataDir = resolve(DATA_DIR)
  return { dataDir, folder: resolve(BACKUP_DIR ?? join(dataDir, 'backups')), copyCommand: BACKUP_COPY_COMMAND }
}
