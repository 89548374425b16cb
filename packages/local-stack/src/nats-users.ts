import { natsInbox } from '@family-inbox/service-kit/nats/nats-identity'
import type { Identity, IdentityKey } from './secrets.ts'

/** The subjects a NATS user may publish to and subscribe to, besides its own inbox. */
export type NatsRights = { readonly publish: readonly string[]; readonly subscribe?: readonly string[] }

/** Everyone who logs in to NATS. What is not listed here is refused by nats-server. */
export const NATS_RIGHTS: Readonly<Partial<Record<Identity, NatsRights>>> = {
  auth: {
    publish: [
      'mail.send.sign-in-code',
      'removal.person',
      ...writerOf('OUTGOING_MAIL'),
      ...readerOf('REMOVALS', 'auth-removals'),
      ...readerOf('REMOVALS', 'auth-membership-removals'),
    ],
  },
  'care-circle': {
    publish: [
      'mail.send.invitation',
      'removal.workspace',
      'removal.membership',
      ...writerOf('OUTGOING_MAIL'),
      ...ownerOf('REMOVALS'),
      ...readerOf('REMOVALS', 'care-circle-removals'),
      ...readerOf('CARE_EVENTS', 'care-timeline'),
    ],
  },
  inbox: {
    publish: [
      'mail.send.new-mail',
      'mail.send.reply',
      'mail.send.storage',
      'mail.send.test',
      'inbox.arrived.*',
      ...ownerOf('OUTGOING_MAIL'),
      ...readerOf('OUTGOING_MAIL', 'inbox-sender'),
      ...readerOf('REMOVALS', 'inbox-removals'),
    ],
    subscribe: ['inbox.arrived.*'],
  },
  sandbox: { publish: ['ops.sandbox.started', ...readerOf('REMOVALS', 'sandbox-removals')] },
  pipe: {
    publish: [
      'care.events.accepted',
      ...ownerOf('CARE_EVENTS'),
      '$JS.API.STREAM.MSG.GET.CARE_EVENTS',
      '$JS.API.STREAM.MSG.DELETE.CARE_EVENTS',
      ...readerOf('REMOVALS', 'pipe-removals'),
    ],
  },
  // The operator repairs streams and listens to notices, but sends nothing in the name of a service.
  ops: { publish: ['$JS.API.>'], subscribe: ['ops.>'] },
}

/** For one machine: whoever can read the operator's key there can read all keys. */
export const EVERYTHING: NatsRights = { publish: ['>'], subscribe: ['>'] }

/**
 * The block `authorization` of nats-server's configuration, for version 2.10 or newer. While a key is being replaced its owner
 * has two users.
 * @param keys the public keys of all services; each names the NATS user that is derived from it
 */
export function natsUsersConf(keys: readonly IdentityKey[], rights = NATS_RIGHTS): string {
  const users = keys.flatMap(({ service, nats }) => {
    const allowed = rights[service]
    return nats && allowed ? [userConf(nats, service, allowed)] : []
  })
  return `authorization {\n  timeout: 10 # seconds to log in; the default of 2 is short on a busy machine\n  users: [\n${users.join('\n')}\n  ]\n}\n`
}

function userConf(nkey: string, service: Identity, { publish, subscribe = [] }: NatsRights): string {
  const list = (subjects: readonly string[]) =>
    subjects.map((subject) => `        ${JSON.stringify(subject)}`).join('\n')
  return `    # ${service}
    {
      nkey: ${nkey}
      permissions: {
        publish: [
${list(publish)}
        ]
        subscribe: [
${list([`${natsInbox(service)}.>`, ...subscribe])}
        ]
      }
    }`
}

/** May make a stream that is not there and look at it. One that is there stays as it is. */
function writerOf(stream: string): string[] {
  return ['$JS.API.INFO', `$JS.API.STREAM.CREATE.${stream}`, `$JS.API.STREAM.INFO.${stream}`]
}

/** May change a stream, too. */
function ownerOf(stream: string): string[] {
  return [...writerOf(stream), `$JS.API.STREAM.UPDATE.${stream}`]
}

/** May read a stream by one durable consumer, and acknowledge what it was given. */
function readerOf(stream: string, consumer: string): string[] {
  const [name, api] = [`${stream}.${consumer}`, '$JS.API.CONSUMER']
  return [
    ...writerOf(stream),
    `${api}.CREATE.${name}`,
    `${api}.CREATE.${name}.>`,
    `${api}.DURABLE.CREATE.${name}`,
    `${api}.INFO.${name}`,
    `${api}.MSG.NEXT.${name}`,
    `$JS.ACK.${name}.>`,
  ]
}
