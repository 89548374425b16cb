import { natsInbox } from '@family-inbox/service-kit/nats/nats-identity'
import type { Identity, IdentityKey } from './secrets.ts'

export type NatsRights = { readonly publish: readonly string[]; readonly subscribe?: readonly string[] }

/** All NATS users. nats-server refuses everyone else. */
export const NATS_RIGHTS: Readonly<Partial<Record<Identity, NatsRights>>> = {
  auth: {
    publish: [
      'mail.send.alarm',
      'mail.send.sign-in-code',
      'removal.person',
      ...writerOf('OUTGOING_MAIL'),
      ...readerOf('REMOVALS', 'auth-removals'),
      ...readerOf('REMOVALS', 'auth-membership-removals'),
    ],
  },
  'care-circle': {
    publish: [
      'mail.send.appointment',
      'mail.send.calendar-address',
      'mail.send.invitation',
      'mail.send.urgent-event',
      'removal.workspace',
      'removal.membership',
      'care.events.accepted', // dead letters that the operator replays
      ...writerOf('CARE_EVENTS'),
      ...writerOf('OUTGOING_MAIL'),
      ...ownerOf('REMOVALS'),
      ...readerOf('REMOVALS', 'care-circle-removals'),
      ...readerOf('CARE_EVENTS', 'care-timeline'),
      'proposals.invitation',
      ...writerOf('PROPOSALS'),
      ...readerOf('CALENDAR_CHANGES', 'care-appointments'),
      '$JS.API.STREAM.MSG.DELETE.CALENDAR_CHANGES',
    ],
  },
  inbox: {
    publish: [
      'mail.send.new-mail',
      'mail.send.postmaster',
      'mail.send.reply',
      'mail.send.storage',
      'mail.send.test',
      'inbox.live.*',
      'calendar.changes.mail',
      ...ownerOf('CALENDAR_CHANGES'),
      ...ownerOf('OUTGOING_MAIL'),
      '$JS.API.STREAM.MSG.GET.OUTGOING_MAIL',
      '$JS.API.STREAM.MSG.DELETE.OUTGOING_MAIL',
      ...ownerOf('PROPOSALS'),
      ...readerOf('PROPOSALS', 'inbox-proposals'),
      '$JS.API.STREAM.MSG.DELETE.PROPOSALS',
      ...readerOf('OUTGOING_MAIL', 'inbox-sender'),
      ...readerOf('REMOVALS', 'inbox-removals'),
    ],
    subscribe: ['inbox.live.*'],
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
  // The operator repairs streams and listens to notices, but cannot publish as a service.
  ops: { publish: ['$JS.API.>'], subscribe: ['ops.>'] },
}

/** For local stacks, where the operator can read all keys anyway. */
export const EVERYTHING: NatsRights = { publish: ['>'], subscribe: ['>'] }

/** The `authorization` block of nats-server (2.10 or later). During key replacement a service has two users. */
export function natsUsersConf(keys: readonly IdentityKey[], rights = NATS_RIGHTS): string {
  const users = keys.flatMap(({ service, nats }) => {
    const allowed = rights[service]
    return nats && allowed ? [userConf(nats, service, allowed)] : []
  })
  return `authorization {\n  timeout: 10 # seconds to log in; the default of 2 is too short on a busy machine\n  users: [\n${users.join('\n')}\n  ]\n}\n`
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

/** May create a missing stream and read its state, but not change one. */
function writerOf(stream: string): string[] {
  return ['$JS.API.INFO', `$JS.API.STREAM.CREATE.${stream}`, `$JS.API.STREAM.INFO.${stream}`]
}

function ownerOf(stream: string): string[] {
  return [...writerOf(stream), `$JS.API.STREAM.UPDATE.${stream}`]
}

/** May read a stream through one durable consumer and acknowledge its messages. */
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
