/** Minutes in which all is well, before each trouble begins. Each costs two evaluations of all rules. */
export const CALM_MIN = 15
/** The same where service levels matter, which compare with an hour before. */
export const LONG_CALM_MIN = 60
const TROUBLE_MIN = 600

/** A series in promtool's notation, one sample a minute, by the minutes in which all is well before trouble begins. */
export type Values = (calmMin: number) => string

/** A value that stays. @param trouble another value from then on */
export function steady(calm: number, trouble = calm): Values {
  return (calmMin) => `${calm}x${calmMin - 1} ${trouble}x${TROUBLE_MIN}`
}

/** A counter, by its growth in a minute. */
export function growing(calm: number, trouble = calm): Values {
  return (calmMin) => {
    const reached = (calmMin - 1) * calm
    return `0+${calm}x${calmMin - 1} ${reached + trouble}+${trouble}x${TROUBLE_MIN}`
  }
}

/** A counter that grows once when trouble begins. */
export function jumping(by: number): Values {
  return steady(0, by)
}

/** A series that ends, as when its target is gone. */
export function ending(calm: number): Values {
  return (calmMin) => `${calm}x${calmMin - 1} stale _x${TROUBLE_MIN}`
}

/** A value that is new in each minute of the trouble, such as a start time. */
export function changing(everyMinutes: number): Values {
  const starts = Array.from({ length: TROUBLE_MIN / everyMinutes }, (_, nth) => `${nth + 2}x${everyMinutes - 1}`)
  return (calmMin) => `1x${calmMin - 1} ${starts.join(' ')}`
}

const TARGET = 'app_kubernetes_io_part_of="family-inbox",instance="10.0.0.1:9464",job="inbox"'
const BACKUP = 'namespace="family-inbox",cronjob="backup"'
const DRILL = 'namespace="family-inbox",cronjob="restore-drill"'
const SERVICES = ['auth', 'care-circle', 'gateway', 'inbox', 'pipe', 'sandbox', 'site']

/** What a busy installation exports while all is well: series with their values. */
export const WELL: Readonly<Record<string, Values>> = {
  [`up{${TARGET}}`]: steady(1),
  [`process_start_time_seconds{${TARGET}}`]: steady(1),
  [`nodejs_eventloop_lag_p99_seconds{${TARGET}}`]: steady(0.12),
  ...Object.fromEntries(SERVICES.map((service) => [`family_inbox_ready{service="${service}"}`, steady(1)])),
  'family_inbox_store_reachable{store="mongodb",instance="10.0.0.1:9464"}': steady(1),
  'family_inbox_store_reachable{store="nats",instance="10.0.0.1:9464"}': steady(1),
  'family_inbox_store_reachable{store="nats",instance="10.0.0.2:9464"}': steady(1),
  'family_inbox_mongodb_disk_free_ratio{database="inbox"}': steady(0.6),
  'family_inbox_certificate_end_timestamp_seconds{setting="GRPC_TLS_DIR"}': steady(60 * 86_400),
  'family_inbox_migrations_missing{database="inbox"}': steady(0),
  'family_inbox_queue_failures_total{}': steady(0),
  'family_inbox_tool_calls_total{outcome="answered"}': growing(60),
  'family_inbox_tool_calls_total{outcome="failed"}': steady(0),
  'family_inbox_tool_call_seconds_count{tool="ping",outcome="ok"}': growing(60),
  'family_inbox_tool_call_seconds_bucket{tool="ping",outcome="ok",le="1.0"}': growing(60),
  'family_inbox_tool_call_seconds_bucket{tool="ping",outcome="ok",le="+Inf"}': growing(60),
  'family_inbox_http_seconds_count{surface="api",status="200"}': growing(60),
  'family_inbox_http_seconds_count{surface="api",status="503"}': steady(0),
  'family_inbox_rpc_seconds_count{method="/inbox/ListInboxMessages",code="OK"}': growing(60),
  'family_inbox_rpc_seconds_count{method="/inbox/ListInboxMessages",code="INTERNAL"}': steady(0),
  'family_inbox_rpc_seconds_count{method="/sandbox/StartWorkspace",code="RESOURCE_EXHAUSTED"}': growing(2),
  'family_inbox_mail_arrived_total{outcome="accepted"}': growing(10),
  'family_inbox_mail_arrived_total{outcome="refused"}': growing(30),
  'family_inbox_mail_arrived_total{outcome="deferred"}': steady(0),
  'family_inbox_mail_received_seconds_count{code="250"}': growing(10),
  'family_inbox_mail_received_seconds_bucket{code="250",le="5.0"}': growing(10),
  'family_inbox_mail_sent_total{state="sent"}': growing(1),
  'family_inbox_mail_sent_total{state="unknown"}': steady(0),
  'family_inbox_mail_queue_waiting{}': steady(1),
  'family_inbox_mail_queue_oldest_seconds{}': steady(2),
  'family_inbox_event_to_timeline_seconds_count{}': growing(20),
  'family_inbox_event_to_timeline_seconds_bucket{le="5.0"}': growing(20),
  'family_inbox_care_events_total{outcome="stored"}': growing(20),
  'family_inbox_care_events_total{outcome="dead_letter"}': steady(0),
  'family_inbox_care_events_waiting{}': steady(3),
  'family_inbox_care_events_oldest_seconds{}': steady(0.2),
  [`kube_cronjob_status_last_successful_time{${BACKUP}}`]: steady(0),
  [`kube_cronjob_created{${BACKUP}}`]: steady(-90 * 86_400),
  [`kube_cronjob_created{${DRILL}}`]: steady(0),
  'family_inbox_stream_losses_total{stream="REMOVALS"}': steady(0),
  'family_inbox_events_missing_total{}': steady(0),
}
