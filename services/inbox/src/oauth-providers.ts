import { json } from '@family-inbox/service-kit/config/config'
import { z } from 'zod'

export type OauthProviderId = keyof typeof PROVIDERS

/** An application that the operator registered with a provider of mailboxes. */
export type OauthClient = (typeof PROVIDERS)[OauthProviderId] & { clientId: string; clientSecret: string }

/** What each provider documents for reading mail by IMAP. */
const PROVIDERS = {
  google: {
    authorizationEndpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenEndpoint: 'https://oauth2.googleapis.com/token',
    host: 'imap.gmail.com',
    scope: 'https://mail.google.com/',
    // Without both, there is no refresh token the second time.
    parameters: { access_type: 'offline', prompt: 'consent' } as Readonly<Record<string, string>>,
  },
  microsoft: {
    authorizationEndpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    tokenEndpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    host: 'outlook.office365.com',
    scope: 'https://outlook.office.com/IMAP.AccessAsUser.All offline_access',
    parameters: { prompt: 'select_account' } as Readonly<Record<string, string>>,
  },
}

const endpoint = z.url({ protocol: /^https?$/ })

/** The setting: a JSON object with a client for each provider that has one. */
export const oauthClients = json
  .pipe(
    z.partialRecord(
      z.enum(Object.keys(PROVIDERS) as [OauthProviderId, ...OauthProviderId[]]),
      z.strictObject({
        clientId: z.string().min(1),
        clientSecret: z.string().min(1),
        authorizationEndpoint: endpoint.optional(),
        tokenEndpoint: endpoint.optional(),
        host: z.hostname().optional(),
      }),
    ),
  )
  .transform((clients) => {
    const full = Object.entries(clients).map(([id, client]) => [id, { ...PROVIDERS[id as OauthProviderId], ...client }])
    return Object.fromEntries(full) as Partial<Record<OauthProviderId, OauthClient>>
  })
