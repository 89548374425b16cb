import { join } from 'node:path'
import { httpUrl, parseSettings } from '@family-inbox/service-kit/config/config'
import { isLoopbackUrl } from '@family-inbox/service-kit/http/loopback'
import { dkimSelector } from '@family-inbox/workspace-kit/dkim'
import { mailServerSettings, mailServerUrl } from '@family-inbox/workspace-kit/mail-server'
import { z } from 'zod'

/** The settings of `npm start` that the world outside must agree with. They have their words where they are used. */
const settings = z.object({
  BASE_URL: httpUrl.default('http://localhost:8080'),
  API_URL: httpUrl.default('http://localhost:8081'),
  INBOX_URL: httpUrl.default('http://localhost:8082'),
  MAIL_DOMAIN: z.string().default('family-inbox.test'),
  MAIL_MAILBOX: z.string().optional(),
  FAMILY_INBOX_SENDER_ADDRESS: z.string().default('care@family-inbox.test'),
  ...mailServerSettings,
  DKIM_SELECTOR: dkimSelector.optional(),
  DKIM_KEY: z.string().optional(),
  SIGN_UP: z.string().optional(),
  DATA_DIR: z.string().default('.data'),
  BACKUPS: z.string().optional(),
  BACKUP_DIR: z.string().optional(),
  BACKUP_COPY_COMMAND: z.string().optional(),
  BACKUP_S3_BUCKET: z.string().optional(),
})

export type SetUp = {
  urls: { BASE_URL: string; API_URL: string; INBOX_URL: string }
  /** Whether others can reach it. */
  isPublic: boolean
  mailDomain: string
  /** The mailbox there whose plus addresses alone come here. */
  mailbox: string | undefined
  senderAddress: string
  smtpUrl: string | undefined
  /** Its name, if it is set by name. */
  smtpProvider: string | undefined
  /** `key`: that of a cluster. At home it is in the data folder. */
  dkim: { selector: string | undefined; key: string | undefined }
  signUp: string | undefined
  dataDir: string
  backups: { isOn: boolean; folder: string; isCopied: boolean; bucket: string | undefined }
}

/** @throws ConfigError */
export function readSetUp(env: Readonly<Record<string, string | undefined>>): SetUp {
  const { BASE_URL, API_URL, INBOX_URL, ...values } = parseSettings(settings, env)
  const urls = { BASE_URL, API_URL, INBOX_URL }
  const isPublic = !Object.values(urls).every(isLoopbackUrl)
  return {
    urls,
    isPublic,
    mailDomain: values.MAIL_DOMAIN.toLowerCase(),
    mailbox: values.MAIL_MAILBOX?.toLowerCase(),
    senderAddress: values.FAMILY_INBOX_SENDER_ADDRESS.toLowerCase(),
    smtpUrl: mailServerUrl(values),
    smtpProvider: values.SMTP_PROVIDER,
    dkim: { selector: values.DKIM_SELECTOR, key: values.DKIM_KEY },
    signUp: values.SIGN_UP,
    dataDir: values.DATA_DIR,
    backups: {
      isOn: (values.BACKUPS ?? (isPublic ? 'on' : 'off')) === 'on',
      folder: values.BACKUP_DIR ?? join(values.DATA_DIR, 'backups'),
      isCopied: values.BACKUP_COPY_COMMAND !== undefined,
      bucket: values.BACKUP_S3_BUCKET,
    },
  }
}
