import { ConfigError, SECRET } from '@family-inbox/service-kit/config/config'
import services from 'nodemailer/lib/well-known/services.json' with { type: 'json' }
import { z } from 'zod'

type Service = { host?: string; port?: number | string; secure?: boolean; aliases?: string[] }

/** Where the mail providers that nodemailer knows take outgoing mail, by every name that it knows. */
const PROVIDERS = new Map(
  Object.entries(services as Record<string, Service>).flatMap(([name, service]) =>
    service.host === undefined
      ? []
      : [name, ...(service.aliases ?? [])].map((alias) => [plain(alias), service] as const),
  ),
)

/** The server that sends outgoing mail: a provider by its name, or any server by its address. */
export const mailServerSettings = {
  SMTP_PROVIDER: z
    .string()
    .refine((name) => PROVIDERS.has(plain(name)))
    .optional()
    .describe(
      'your mail provider, instead of SMTP_URL, if it is one of those that nodemailer knows by name (iCloud, FastMail, Outlook365, Postmark, SES-EU-CENTRAL-1 and about 80 more), for example Gmail',
    ),
  SMTP_USER: z
    .string()
    .optional()
    .describe('the user name at SMTP_PROVIDER, mostly your email address, for example ana@family.example'),
  SMTP_PASSWORD: z
    .string()
    .optional()
    .describe(
      'the password at SMTP_PROVIDER, mostly an app password that you create in your account, for example abcd efgh ijkl mnop',
    )
    .meta(SECRET),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      'the server that sends outgoing mail, for example smtps://user:password@mail.example.org; this or SMTP_PROVIDER is required unless every address is local',
    )
    .meta(SECRET),
}

const shape = z.object(mailServerSettings)

/** The address of the server that sends mail. @throws ConfigError */
export function mailServerUrl(values: z.infer<typeof shape>): string | undefined {
  const { SMTP_PROVIDER: provider, SMTP_USER: user, SMTP_PASSWORD: password, SMTP_URL: url } = values
  if (provider === undefined) return url
  if (url !== undefined) throw new ConfigError('SMTP_URL and SMTP_PROVIDER are both set. Remove one of them.')
  for (const [name, value] of Object.entries({ SMTP_USER: user, SMTP_PASSWORD: password }))
    if (value === undefined)
      throw new ConfigError(`${name} is missing: ${mailServerSettings[name as 'SMTP_USER'].description}`)
  const { host = '', port = 465, secure = false } = PROVIDERS.get(plain(provider)) ?? {}
  const login = `${encodeURIComponent(user ?? '')}:${encodeURIComponent(password ?? '')}`
  // The password never goes out unencrypted.
  return secure ? `smtps://${login}@${host}:${port}` : `smtp://${login}@${host}:${port}?requireTLS=true`
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9.-]/g, '')
}
