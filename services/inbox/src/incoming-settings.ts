import { port, SECRET, secretBoxKeyList, secretBoxKeys, wholeNumber } from '@family-inbox/service-kit/config/config'
import { z } from 'zod'
import { oauthClients } from './oauth-providers.ts'

/** The part of the settings that is about mail coming in: by SMTP, and from mailboxes elsewhere. */
export const incomingSettings = {
  SMTP_HOST: z.string().default('0.0.0.0').describe('the address the SMTP server listens on, for example 127.0.0.1'),
  SMTP_PORT: port.default(2525).describe('the port the SMTP server listens on, for example 2525'),
  SMTP_TLS_DIR: z
    .string()
    .optional()
    .describe(
      'a folder with tls.crt and tls.key for the MX name, used to offer STARTTLS for inbound mail, for example /run/smtp-tls; without it, mail arrives unencrypted',
    ),
  SMTP_MAX_CONNECTIONS: wholeNumber(1)
    .default(1000)
    .describe('the maximum number of open SMTP connections, for example 1000'),
  SMTP_MAX_CONNECTIONS_PER_PEER: wholeNumber(1)
    .default(250)
    .describe('the maximum number of open SMTP connections from one network address, for example 250'),
  SMTP_PATIENCE_SECONDS: wholeNumber(1)
    .default(300)
    .describe(
      'how long one message may take, and how long an SMTP connection may go without one, in seconds, for example 300',
    ),
  LMTP_PORT: port
    .optional()
    .describe(
      'the port on which a mail server that you have hands over mail by LMTP, for example 2424; without it, there is none. Whoever reaches it is trusted, so open it to that server only',
    ),
  LMTP_HOST: z.string().default('127.0.0.1').describe('the address the LMTP server listens on, for example 127.0.0.1'),
  LMTP_AUTHSERV_ID: z
    .string()
    .regex(/^[^\s;]{1,255}$/)
    .optional()
    .describe(
      'the name at the beginning of the Authentication-Results that your mail server adds, for example mail.example.org; without it, the sender of mail by LMTP is not checked. Your server must remove such fields of that name from mail it receives',
    ),
  MAILBOX_SECRET_KEYS: secretBoxKeys
    .describe(
      'the keys that encrypt the passwords of mailboxes that mail is fetched from: a JSON list, each 32 random bytes as base64url; the first one encrypts and all decrypt, for example ["…"]',
    )
    .meta(SECRET),
  KEY_ENCRYPTION_KEYS: secretBoxKeyList
    .prefault('[]')
    .describe(
      'the keys that encrypt the own key of each family, with which its mail and what its members write is sealed: a JSON list, each 32 random bytes as base64url; the first one encrypts and all decrypt, for example ["…"]; without it, nothing is sealed. Keep a copy that is not with the backups: without it, all mail is lost',
    )
    .meta(SECRET),
  MAILBOX_OAUTH_CLIENTS: oauthClients
    .prefault('{}')
    .describe(
      'the applications you registered with Google and Microsoft, so that families sign in there instead of entering an app password: a JSON object, for example {"google":{"clientId":"…","clientSecret":"…"}}; each may have authorizationEndpoint, tokenEndpoint and host of its own, for a tenant or a national cloud',
    )
    .meta(SECRET),
  MAILBOXES_ON_PRIVATE_HOSTS: z
    .stringbool()
    .default(false)
    .describe(
      'whether mail may be fetched from mail servers on your own network, on any port and without TLS, for example true; otherwise only from public addresses with TLS, on ports 993 and 143',
    ),
  INBOX_MESSAGES_PER_HOUR: wholeNumber(1)
    .default(1000)
    .describe(
      'the most messages one inbox accepts per hour, for example 1000; beyond that, senders are asked to retry later',
    ),
}

const shape = z.object(incomingSettings)

export function incomingConfig(values: z.infer<typeof shape>) {
  return {
    messagesPerHour: values.INBOX_MESSAGES_PER_HOUR,
    mailboxSecretKeys: values.MAILBOX_SECRET_KEYS,
    keyEncryptionKeys: values.KEY_ENCRYPTION_KEYS,
    mailboxOauth: values.MAILBOX_OAUTH_CLIENTS,
    mailboxesOnPrivateHosts: values.MAILBOXES_ON_PRIVATE_HOSTS,
    lmtp: lmtpOf(values),
    smtp: {
      host: values.SMTP_HOST,
      port: values.SMTP_PORT,
      tlsDir: values.SMTP_TLS_DIR,
      maxConnections: values.SMTP_MAX_CONNECTIONS,
      idleTimeoutMs: values.SMTP_PATIENCE_SECONDS * 1000,
      maxConnectionsPerPeer: values.SMTP_MAX_CONNECTIONS_PER_PEER,
    },
  }
}

function lmtpOf({ LMTP_PORT: port, LMTP_HOST: host, LMTP_AUTHSERV_ID: authservId }: z.infer<typeof shape>) {
  return port === undefined ? undefined : { host, port, authservId }
}
