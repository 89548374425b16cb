/**
 * The only file that names the client of NATS, so that another one can take its place (docs/decisions/hand-written-parts.md).
 * Tests use the package itself.
 */
export {
  AckPolicy,
  type ConnectionOptions,
  type ConsumeOptions,
  type ConsumerConfig,
  type ConsumerMessages,
  connect,
  ErrorCode,
  headers,
  type JetStreamClient,
  type JsMsg,
  type MsgRequest,
  type NatsConnection,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from 'nats'
