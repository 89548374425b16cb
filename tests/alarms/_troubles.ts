import { CALM_MIN, changing, ending, growing, jumping, LONG_CALM_MIN, steady, type Values } from './_series.ts'

export type Trouble = {
  /** What should ring, and nothing else. */
  alarms: readonly string[]
  /** Completes: “X rings when …”. */
  when: string
  /** Replaces series of `WELL`, or adds some. Without values, there is no such series. */
  series: Readonly<Record<string, Values | undefined>>
  /** Minutes after the trouble began: nothing rings yet, and the alarms ring. */
  silentAt: number
  ringsAt: number
  /** Minutes in which all is well, before it began. */
  calmMin: number
}

const INSTANCE = 'app_kubernetes_io_part_of="family-inbox",instance="10.0.0.1:9464",job="inbox"'
const READY = 'family_inbox_ready'
const QUEUE = 'family_inbox_mail_queue'

function trouble(alarm: string, when: string, silentAt: number, ringsAt: number, series: Trouble['series']) {
  return { alarms: [alarm], when, series, silentAt, ringsAt }
}

const serviceLevels = [
  trouble('ToolCallsFail', 'every second call fails', 1, 5, {
    'family_inbox_tool_calls_total{outcome="answered"}': growing(60, 30),
    'family_inbox_tool_calls_total{outcome="failed"}': growing(0, 30),
  }),
  {
    alarms: ['ToolCallsFail', 'ErrorBudgetShrinks'],
    when: 'one call in a hundred fails for two hours',
    series: {
      'family_inbox_tool_calls_total{outcome="answered"}': growing(60, 59.4),
      'family_inbox_tool_calls_total{outcome="failed"}': growing(0, 0.6),
    },
    silentAt: 60,
    ringsAt: 120,
  },
  trouble('ToolCallsAreSlow', 'half of the calls take over a second', 5, 20, {
    'family_inbox_tool_call_seconds_bucket{tool="ping",outcome="ok",le="1.0"}': growing(60, 30),
  }),
  trouble('MailIsDeferred', 'every mail is deferred', 1, 6, {
    'family_inbox_mail_arrived_total{outcome="accepted"}': growing(10, 0),
    'family_inbox_mail_arrived_total{outcome="deferred"}': growing(0, 10),
  }),
  trouble('MailIsSlow', 'half of the mails take over five seconds', 5, 20, {
    'family_inbox_mail_received_seconds_bucket{code="250",le="5.0"}': growing(10, 5),
  }),
  trouble('EventsAreLate', 'half of the events take over five seconds', 5, 20, {
    'family_inbox_event_to_timeline_seconds_bucket{le="5.0"}': growing(20, 10),
  }),
  trouble('RequestsFail', 'every tenth request is answered with 503', 5, 15, {
    'family_inbox_http_seconds_count{surface="api",status="200"}': growing(60, 54),
    'family_inbox_http_seconds_count{surface="api",status="503"}': growing(0, 6),
  }),
  trouble('ErrorBudgetShrinks', 'two calls in a thousand fail for hours', 100, 180, {
    'family_inbox_tool_calls_total{outcome="answered"}': growing(60, 59.88),
    'family_inbox_tool_calls_total{outcome="failed"}': growing(0, 0.12),
  }),
]

const silence = [
  ...['auth', 'care-circle', 'gateway', 'inbox', 'pipe', 'sandbox', 'site'].map((service) =>
    trouble('ServiceIsGone', `no process of ${service} answers`, 1, 4, {
      [`${READY}{service="${service}"}`]: ending(1),
    }),
  ),
  trouble('ServiceIsNotReady', 'the only process of auth is not ready', 1, 4, {
    [`${READY}{service="auth"}`]: steady(1, 0),
  }),
  {
    alarms: ['StoreIsUnreachable'],
    when: 'MongoDB is away, and no backend is ready',
    series: {
      'family_inbox_store_reachable{store="mongodb",instance="10.0.0.1:9464"}': steady(1, 0),
      [`${READY}{service="auth"}`]: steady(1, 0),
      [`${READY}{service="inbox"}`]: steady(1, 0),
    },
    silentAt: 0,
    ringsAt: 4,
  },
  trouble('StoreIsUnreachable', 'nobody reaches NATS', 0, 2, {
    'family_inbox_store_reachable{store="nats",instance="10.0.0.1:9464"}': steady(1, 0),
    'family_inbox_store_reachable{store="nats",instance="10.0.0.2:9464"}': steady(1, 0),
  }),
  trouble('StoreConnectionIsLost', 'one process does not reach NATS', 9, 12, {
    'family_inbox_store_reachable{store="nats",instance="10.0.0.1:9464"}': steady(1, 0),
  }),
  trouble('ReplicaIsDown', 'one of two replicas does not answer', 9, 12, { [`up{${INSTANCE}}`]: steady(1, 0) }),
  trouble('ProcessRestarts', 'a process starts every five minutes', 8, 16, {
    [`process_start_time_seconds{${INSTANCE}}`]: changing(5),
  }),
  trouble('DiskFillsUp', 'a tenth of the disk is free', 9, 12, {
    'family_inbox_mongodb_disk_free_ratio{database="inbox"}': steady(0.6, 0.1),
  }),
  {
    alarms: ['DiskFillsUp', 'DiskIsAlmostFull'],
    when: 'a fiftieth of the disk is free',
    series: { 'family_inbox_mongodb_disk_free_ratio{database="inbox"}': steady(0.6, 0.02) },
    silentAt: 1,
    ringsAt: 12,
  },
  trouble('CertificateEndsSoon', 'a certificate ends in thirteen days', 50, 70, {
    'family_inbox_certificate_end_timestamp_seconds{setting="SMTP_TLS_DIR"}': steady(60 * 86_400, 13 * 86_400),
  }),
  {
    alarms: ['CertificateEndsNow', 'CertificateEndsSoon'],
    when: 'a certificate ends tomorrow',
    series: { 'family_inbox_certificate_end_timestamp_seconds{setting="SMTP_TLS_DIR"}': steady(60 * 86_400, 86_400) },
    silentAt: 4,
    ringsAt: 70,
  },
  trouble('MigrationIsStuck', 'a migration takes over a quarter of an hour', 14, 17, {
    'family_inbox_migrations_missing{database="inbox"}': steady(0, 2),
  }),
]

const others = [
  trouble('RpcsFail', 'every tenth call of a method fails', 14, 25, {
    'family_inbox_rpc_seconds_count{method="/inbox/ListInboxMessages",code="INTERNAL"}': growing(0, 7),
  }),
  trouble('QueueRefusesMessages', 'NATS stores nothing for ten minutes', 9, 13, {
    'family_inbox_queue_failures_total{}': growing(0, 3),
  }),
  trouble('QueueIsInvisible', 'the age of the mail queue is unknown', 9, 12, {
    [`${QUEUE}_oldest_seconds{}`]: ending(2),
  }),
  trouble('MailIsNotSent', 'four mails wait, and none is sent', 32, 37, {
    [`${QUEUE}_waiting{}`]: steady(1, 4),
    [`${QUEUE}_oldest_seconds{}`]: steady(2, 3600),
    'family_inbox_mail_sent_total{state="sent"}': growing(1, 0),
  }),
  trouble('MailWaits', 'one mail waits for hours while others go out', 4, 7, {
    [`${QUEUE}_oldest_seconds{}`]: steady(2, 10_000),
  }),
  trouble('MailMayBeUnsent', 'the first mail of a process is marked unknown', -1, 1, {
    'family_inbox_mail_sent_total{state="unknown"}': jumping(1),
  }),
  trouble('EventsWait', 'an event waits for six minutes', 1, 4, {
    'family_inbox_care_events_oldest_seconds{}': steady(0.2, 360),
  }),
  trouble('EventsWait', 'two thousand events wait', 1, 4, { 'family_inbox_care_events_waiting{}': steady(3, 2000) }),
  trouble('EventsAreDeadLetters', 'the first event becomes a dead letter', -1, 1, {
    'family_inbox_care_events_total{outcome="dead_letter"}': jumping(1),
  }),
  trouble('StreamLostMessages', 'a stream lost messages for the first time', -1, 1, {
    'family_inbox_stream_losses_total{stream="REMOVALS"}': jumping(1),
  }),
  trouble('EventsAreMissing', 'an accepted event is on no timeline', -1, 1, {
    'family_inbox_events_missing_total{}': jumping(1),
  }),
  trouble('SandboxesAreFlooded', 'ten sandbox starts a second are refused', 9, 25, {
    'family_inbox_rpc_seconds_count{method="/sandbox/StartWorkspace",code="RESOURCE_EXHAUSTED"}': growing(2, 600),
  }),
  trouble('EventLoopIsBusy', 'a process is late by half a second', 9, 12, {
    [`nodejs_eventloop_lag_p99_seconds{${INSTANCE}}`]: steady(0.12, 0.5),
  }),
]

const BACKUP = 'namespace="family-inbox",cronjob="backup"'
const DRILL = 'namespace="family-inbox",cronjob="restore-drill"'
const LAST = 'kube_cronjob_status_last_successful_time'

/** The tests' time begins at 0. */
const backups = [
  trouble('BackupIsOld', 'last night made no backup', 9, 12, { [`${LAST}{${BACKUP}}`]: steady(0, -31 * 3600) }),
  {
    alarms: ['BackupIsMissing', 'BackupIsOld'],
    when: 'a backup never succeeded since it was set up four days ago',
    series: { [`${LAST}{${BACKUP}}`]: undefined, [`kube_cronjob_created{${BACKUP}}`]: steady(0, -4 * 86_400) },
    silentAt: 9,
    ringsAt: 12,
  },
  trouble('RestoreIsUntried', 'the last drill was fifty days ago', 50, 70, {
    [`${LAST}{${DRILL}}`]: steady(0, -50 * 86_400),
  }),
]

export const TROUBLES: readonly Trouble[] = [
  ...serviceLevels.map((each) => ({ ...each, calmMin: LONG_CALM_MIN })),
  ...[...silence, ...others, ...backups].map((each) => ({ ...each, calmMin: CALM_MIN })),
]

/** What must not wake anybody. */
export const NO_TROUBLES: readonly Pick<Trouble, 'when' | 'series'>[] = [
  {
    when: 'one call of three fails in a quiet night',
    series: {
      'family_inbox_tool_calls_total{outcome="answered"}': jumping(2),
      'family_inbox_tool_calls_total{outcome="failed"}': jumping(1),
    },
  },
  {
    when: 'one mail is retried for an hour while nobody else gets any',
    series: {
      [`${QUEUE}_oldest_seconds{}`]: steady(2, 3600),
      'family_inbox_mail_sent_total{state="sent"}': growing(1, 0),
    },
  },
  {
    when: 'strangers’ mail is refused all day',
    series: { 'family_inbox_mail_arrived_total{outcome="refused"}': growing(30, 3000) },
  },
  { when: 'a process restarts once', series: { [`process_start_time_seconds{${INSTANCE}}`]: steady(1, 2) } },
]
