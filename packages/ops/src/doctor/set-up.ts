import { httpUrl, parseSettings } from '@family-inbox/service-kit/config/config'
import { isLoopbackUrl } from '@family-inbox/service-kit/http/loopback'
import { z } from 'zod'

/** The settings of `npm start` that the world outside must agree with. They have their words where they are used. */
const settings = z.object({
  BASE_URL: httpUrl.default('http://localhost:8080'),
  API_URL: httpUrl.default('http://localhost:8081'),
  INBOX_URL: httpUrl.default('http://localhost:8082'),
  MAIL_DOMAIN: z.string().default('family-inbox.test'),
  FAMILY_INBOX_SENDER_ADDRESS: z.string().default('care@family-inbox.test'),
  SMTP_URL: z.string().optional(),
  SIGN_UP: z.string().optional(),
  DATA_DIR: z.string().default('.data'),
})

export type SetUp = {
  urls: { BASE_URL: string; API_URL: string; INBOX_URL: string }
  /** Whether others can reach it. */
  isPublic: boolean
  mailDomain: string
  senderAddress: string
  smtpUrl: string | undefined
  signUp: string | undefined
  dataDir: string
}

/** @throws ConfigError */
export function readSetUp(env: Readonly<Record<string, string | undefined>>): SetUp {
  const { BASE_URL, API_URL, INBOX_URL, ...values } = parseSettings(settings, env)
  const urls = { BASE_URL, API_URL, INBOX_URL }
  return {
    urls,
    isPublic: !Object.values(urls).every(isLoopbackUrl),
    mailDomain: values.MAIL_DOMAIN.toLowerCase(),
    senderAddress: values.FAMILY_INBOX_SENDER_ADDRESS.toLowerCase(),
    smtpUrl: values.SMTP_URL,
    signUp: values.SIGN_UP,
    dataDir: values.DATA_DIR,
  }
}
