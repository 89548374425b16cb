import { type Connection, Schema } from 'mongoose'

/** The invitation mails made lately: for a household, by a person, or to an address. */
export type MailAllowance = {
  /** Whose: `household/…`, `person/…` or `address/…`. */
  _id: string
  /** Newest first, no more than the limit. */
  spent: { mailId: string; at: Date }[]
  forgetAt: Date
}

const schema = new Schema<MailAllowance>(
  { _id: String, spent: [{ _id: false, mailId: String, at: Date }], forgetAt: Date },
  { versionKey: false, collection: 'mail_allowances' },
)
schema.index({ forgetAt: 1 }, { expireAfterSeconds: 0 })

export function mailAllowanceModel(connection: Connection) {
  return connection.model('MailAllowance', schema)
}
