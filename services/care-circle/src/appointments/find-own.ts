import { type CalendarChange, type CalendarEvent, SenderProof } from '@family-inbox/proto/calendar/v1/calendar_change'
import { isSameSender } from '@family-inbox/workspace-kit/same-sender'
import type { Appointment, Proof } from '../models/appointment.ts'
import { applyEvent } from './apply-event.ts'

const PROOFS: Record<SenderProof, Proof> = {
  [SenderProof.VERIFIED]: 'verified',
  [SenderProof.FORWARDED]: 'forwarded',
  [SenderProof.UNSPECIFIED]: 'unverified',
  [SenderProof.UNRECOGNIZED]: 'unverified',
}

/** The events of one UID in a mail, and the organizer that they name; empty without one. */
export type SaidOfOne = { change: CalendarChange; organizer: string; events: CalendarEvent[] }

export function proofOf({ proof }: CalendarChange): Proof {
  return PROOFS[proof]
}

export function ownerOf(proof: Proof, { senderAddress }: CalendarChange, organizer: string): string {
  return `${proof} ${senderAddress} ${organizer}`
}

/**
 * The appointment that a sender's events may change: the sender's own; one that a member forwarded before the sender wrote; and for
 * a cancellation, one of somebody else of the organizer's domain. A forwarded copy of what the sender wrote adds nothing.
 * @param rows with their UID
 */
export function findOwn(rows: Appointment[], said: SaidOfOne): Appointment | undefined {
  const proof = proofOf(said.change)
  const own = ofSender(rows, said, proof)
  if (own !== undefined || proof === 'unverified') return own
  const same = ofSender(rows, said, proof === 'verified' ? 'forwarded' : 'verified')
  if (proof === 'verified') return same ?? ofColleague(rows, said)
  return said.change.events.some((event) => same && applyEvent(same, event)) ? undefined : same
}

/**
 * Finds the row with the same organizer. Else the sender’s only one, if it or the mail names no organizer: cancellations often do
 * not.
 */
function ofSender(rows: Appointment[], { change, organizer }: SaidOfOne, proof: Proof): Appointment | undefined {
  const exact = rows.find(({ owner }) => owner === ownerOf(proof, change, organizer))
  if (exact !== undefined) return exact
  const begin = ownerOf(proof, change, '')
  const [only, ...others] = rows.filter(({ owner }) => owner.startsWith(begin))
  const isNamed = only !== undefined && only.owner !== begin && organizer !== ''
  return others.length > 0 || isNamed ? undefined : only
}

/**
 * Both are verified, and the domain is not one where anybody gets an address. Of the appointments that name the organizer, the one
 * that the domain itself sent: anybody can name an organizer.
 */
function ofColleague(rows: Appointment[], { change, organizer, events }: SaidOfOne): Appointment | undefined {
  if (!events.every(({ canceled }) => canceled)) return undefined
  const speaksFor = (address: string) =>
    [change.senderAddress, organizer || change.senderAddress].every((other) => isSameSender(address, other))
  const verified = rows.filter(({ proof }) => proof === 'verified')
  const own = verified.filter((row) => speaksFor(row.senderAddress) && speaksFor(organizerOf(row) || row.senderAddress))
  const [only, ...others] = own.length > 0 ? own : verified.filter((row) => speaksFor(organizerOf(row)))
  return others.length > 0 ? undefined : only
}

/** The owner after a mail of the sender that proves more, or names the organizer first. */
export function nextOwner(found: Appointment, { change, organizer }: SaidOfOne, isProven: boolean): string {
  const known = organizerOf(found)
  if (change.senderAddress !== found.senderAddress) return found.owner
  if (isProven) return ownerOf('verified', change, organizer || known)
  return known === '' && proofOf(change) === found.proof ? ownerOf(found.proof, change, organizer) : found.owner
}

function organizerOf({ owner, proof, senderAddress }: Appointment): string {
  return owner.slice(`${proof} ${senderAddress} `.length)
}
