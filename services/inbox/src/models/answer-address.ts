import { createHash } from 'node:crypto'
import { expiresAfter } from '@family-inbox/service-kit/mongo/mongo'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'
import { addressAt, type MailPlace, wholeLocalPart } from '../own-address.ts'

/** Where one member answers one message by mail: the Reply-To of a notification. It proves nothing. */
export type AnswerAddress = {
  /** SHA-256 of its local part, hex: a copy of the database is not enough to write there. */
  _id: string
  workspaceId: string
  lovedOneId: string
  personId: string
  messageRowId: string
  createdAt: Date
  /** What became of the mails that came there and were the member's, latest last. */
  answers?: { key: string; refusal?: string }[]
}

const PREFIX = 'reply+'
/** In hex: 128 bits. */
const SECRET_CHARS = 32
const LOCAL_PART = /^reply\+[0-9a-f]{32}$/
const MAX_ANSWERS = 200

const ENDS_AFTER_MS = 14 * DAY_MS
/** Until then, whoever answers too late hears so. */
const KEPT_DAYS = 60

const schema = rowSchema<AnswerAddress>(
  'answer_addresses',
  {
    _id: String,
    workspaceId: String,
    lovedOneId: String,
    personId: String,
    messageRowId: String,
    createdAt: Date,
    answers: { type: [{ _id: false, key: String, refusal: String }], default: undefined },
  },
  { workspaceId: 'field', personId: 'field', messageRowId: 'field' },
  {
    global: 'an address is looked up before its workspace is known',
    shardKey: { _id: 'hashed' },
    rowsPerWorkspace: 60,
    rowBytes: 250,
  },
)
schema.index({ workspaceId: 1 })
schema.index({ personId: 1 })
schema.index({ messageRowId: 1 })
schema.index({ createdAt: 1 }, expiresAfter(KEPT_DAYS))

export function answerAddressModel(connection: Connection) {
  return connection.model('AnswerAddress', schema)
}

type Rows = { answerAddresses: ReturnType<typeof answerAddressModel> }

/** @param secret in hex */
export function formatAnswerAddress(secret: string, place: MailPlace): string {
  return addressAt(place, `${PREFIX}${secret.slice(0, SECRET_CHARS)}`)
}

/** The stored form of an address; undefined if it is none. */
export function answerAddressId(address: string, place: MailPlace): string | undefined {
  const local = wholeLocalPart(address, place)
  if (local === undefined || !LOCAL_PART.test(local)) return undefined
  return createHash('sha256').update(local).digest('hex')
}

/** Also one that has ended. */
export async function findAnswerAddress(
  { answerAddresses }: Rows,
  recipient: string,
  place: MailPlace,
): Promise<AnswerAddress | undefined> {
  const _id = answerAddressId(recipient, place)
  if (_id === undefined) return undefined
  return (await answerAddresses.findById(_id).lean<AnswerAddress | null>()) ?? undefined
}

export function hasEnded({ createdAt }: AnswerAddress): boolean {
  return createdAt.getTime() + ENDS_AFTER_MS <= Date.now()
}

/** What became of a mail that came before; undefined if it is new. */
export async function findOutcome({ answerAddresses }: Rows, { _id }: AnswerAddress, key: string) {
  const row = await answerAddresses.findOne({ _id, 'answers.key': key }, { answers: 1 }).readConcern('majority').lean()
  return row?.answers?.find((one) => one.key === key)
}

/** Once for each mail: the first of two processes decides. */
export async function recordOutcome(
  { answerAddresses }: Rows,
  { _id }: AnswerAddress,
  outcome: { key: string; refusal?: string },
): Promise<void> {
  await answerAddresses.updateOne(
    { _id, 'answers.key': { $ne: outcome.key } },
    { $push: { answers: { $each: [outcome], $slice: -MAX_ANSWERS } } },
  )
}
