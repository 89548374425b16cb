import type { Guest } from '../_family.ts'
import type { Sink, SunkMail } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn } from '../_visitor.ts'
import { mail } from '../mail-corpus/build-mail.ts'

/** A row of what a member chose. */
export type Setting = {
  _id: string
  mode: string
  dueAt?: Date
  pendingUpTo?: Date
  notifiedUpTo?: Date
  lastArrivalAt?: Date
}

const isNotification = (to: string) => (one: SunkMail) => one.to.includes(to) && /new messages? for/i.test(one.headers)

/** Those that have come to this address. */
export const notificationsTo = (sink: Sink, to: string) => sink.mails.filter(isNotification(to))

/** Signs in and chooses. */
export async function ask(f: Guest, sink: Sink, email: string, mode: string, timeZone = 'Europe/Lisbon') {
  const visitor = await signIn(f, sink, email)
  await visitor.save('/settings/notifications', { mode, timeZone })
  return visitor
}

export async function deliver(f: Guest, address: string, subject: string, fields: Record<string, string> = {}) {
  const raw = mail({ From: 'Desk <desk@clinic.example>', Subject: subject, ...fields }, `Dear Rosa, about ${subject}`)
  await openMailer(f.stack).deliver(address, raw)
}
