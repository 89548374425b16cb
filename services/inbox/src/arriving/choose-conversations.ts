import { SenderProof } from '@family-inbox/proto/calendar/v1/calendar_change'
import { isSameSender } from '@family-inbox/workspace-kit/same-sender'

/** A mail whose check has ended. Of what it names, its keys (conversation-keys.ts). */
export type CheckedMail = {
  id: string
  conversationId: string
  receivedAt: Date
  /** The address of its sender, as in senderOf; in lower case. */
  address: string
  proof: SenderProof
  /** Whether a member who may write provably sent it. */
  isMembers: boolean
  ownId: string | undefined
  /** Its own Message-ID and those it names. */
  ids: string[]
  isBareAnswer: boolean
  subjects: { own: string[]; sought: string[] }
  /** The Message-IDs of our replies to it: only who got one knows it. */
  replyIds: string[]
  /** Whom our replies to it went to. */
  repliedTo: string[]
}

/**
 * Which conversations a mail joins, by proof. Anyone can write any From, name any Message-ID and use any subject, so what proves
 * nothing never joins mail of a sender that is proven.
 * @param others that name something in common with it
 * @param verified conversations with mail of a verified sender
 */
export function chooseConversations(
  mail: CheckedMail,
  others: readonly CheckedMail[],
  verified: ReadonlySet<string>,
): string[] {
  const chosen = isProven(mail) ? joinProven(mail, others) : joinUnproven(mail, others, verified)
  return [...new Set(chosen.map(({ conversationId }) => conversationId))]
}

function joinProven(mail: CheckedMail, others: readonly CheckedMail[]): CheckedMail[] {
  const own = others.filter((other) => isOfSameProvenSender(mail, other))
  const chosen = [
    ...own.filter((other) => isReferred(mail, other) || isOurReplyNamed(mail, other) || isOurReplyNamed(other, mail)),
    ...bySubject(mail, own),
    ...others.filter((other) => isProven(other) && (answersOurs(mail, other) || answersOurs(other, mail))),
  ]
  if (chosen.length > 0) return chosen
  // Unproven mail joins only what the family itself has answered or sent on.
  const answered = others.filter((other) => answersOurs(mail, other) || (isForwarded(mail) && answersOurs(other, mail)))
  if (answered.length > 0) return answered
  return mail.isMembers ? namedByMember(mail, others) : []
}

/** Joins mail of small clinics, which prove nothing. It is marked wherever it is shown. */
function joinUnproven(mail: CheckedMail, others: readonly CheckedMail[], verified: ReadonlySet<string>): CheckedMail[] {
  if (verified.has(mail.conversationId)) return []
  const open = others.filter(({ conversationId }) => !verified.has(conversationId))
  return open.filter((other) => {
    if (answersOurs(mail, other) || answersOurs(other, mail)) return true
    return !isProven(other) && mail.address !== '' && mail.address === other.address && isReferred(mail, other)
  })
}

export function isProven({ proof }: CheckedMail): boolean {
  return proof !== SenderProof.UNSPECIFIED
}

function isForwarded({ proof }: CheckedMail): boolean {
  return proof === SenderProof.FORWARDED
}

/** A member's own domain does not count: it may be the one of all their colleagues. */
function isOfSameProvenSender(one: CheckedMail, other: CheckedMail): boolean {
  if (!isProven(one) || !isProven(other)) return false
  const isMembersOwn = [one, other].some((mail) => mail.isMembers && !isForwarded(mail))
  return isMembersOwn ? one.address === other.address : isSameSender(one.address, other.address)
}

function isReferred(one: CheckedMail, other: CheckedMail): boolean {
  return intersects(one.ids, other.ids)
}

function isOurReplyNamed(answer: CheckedMail, original: CheckedMail): boolean {
  return intersects(answer.ids, original.replyIds)
}

/** It names a reply of ours, and its sender is whom that went to: provably, or as far as anybody has proven anything. */
export function answersOurs(answer: CheckedMail, original: CheckedMail): boolean {
  if (!isOurReplyNamed(answer, original)) return false
  if (isProven(answer)) return original.repliedTo.some((to) => isSameSender(to, answer.address))
  return original.proof !== SenderProof.VERIFIED && original.repliedTo.includes(answer.address)
}

/** A bare answer joins the newest mail before it. */
function bySubject(mail: CheckedMail, own: readonly CheckedMail[]): CheckedMail[] {
  if (!mail.isBareAnswer) return []
  const alike = own.filter((other) => intersects(mail.subjects.sought, other.subjects.own))
  const originals = alike.filter((other) => !other.isBareAnswer)
  return (originals.length > 0 ? originals : alike)
    .filter((other) => other.receivedAt <= mail.receivedAt)
    .toSorted((a, b) => byArrival(b, a))
    .slice(0, 1)
}

/** The first mail with a Message-ID that a member names. A later one uses the Message-ID of another. */
function namedByMember({ ids, ownId }: CheckedMail, others: readonly CheckedMail[]): CheckedMail[] {
  return others
    .filter((other) => other.ownId !== undefined && other.ownId !== ownId && ids.includes(other.ownId))
    .toSorted(byArrival)
    .slice(0, 1)
}

function byArrival(one: CheckedMail, other: CheckedMail): number {
  return one.receivedAt.getTime() - other.receivedAt.getTime() || (one.id < other.id ? -1 : 1)
}

function intersects(one: readonly string[], other: readonly string[]): boolean {
  return one.some((key) => other.includes(key))
}
