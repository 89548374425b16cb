import { requireEmail } from '@family-inbox/service-kit/rpc/text-rules'
import { cleanLine } from '@family-inbox/service-kit/text/clean-text'
import { cut } from '@family-inbox/service-kit/text/cut'
import type { Mailbox } from '../mime/message-fields.ts'
import { type CalendarNode, first } from './calendar-tree.ts'
import type { CalendarLine } from './read-property.ts'

const MAX_ADDRESS_CHARS = 500
const MAX_NAME_CHARS = 200
const MAX_ATTENDEES = 50

/** As the file says, so it proves nothing. Both may be empty. */
export function organizerOf(node: CalendarNode): Mailbox {
  const line = first(node, 'organizer')
  const address = cleanLine(addressOf(line)).toLowerCase()
  return { name: commonName(line), address: cut(address, MAX_ADDRESS_CHARS) }
}

/** Each once, in the order of the file, without rooms and devices. */
export function attendeesOf({ properties }: CalendarNode): Mailbox[] {
  const people = properties
    .filter(({ name }) => name === 'attendee')
    .slice(0, MAX_ATTENDEES)
    .filter(({ parameters }) => !/^(?:ROOM|RESOURCE)$/i.test(parameters.cutype ?? ''))
  const mailboxes = people.flatMap((line) => mailboxOf(line) ?? [])
  return [...new Map(mailboxes.map((mailbox) => [mailbox.address, mailbox])).values()]
}

function mailboxOf(line: CalendarLine): Mailbox | undefined {
  try {
    return { name: commonName(line), address: requireEmail('address', addressOf(line)) }
  } catch {
    return undefined
  }
}

function commonName(line: CalendarLine | undefined): string {
  return cut(cleanLine(line?.parameters.cn ?? ''), MAX_NAME_CHARS)
}

function addressOf(line: CalendarLine | undefined): string {
  return (line?.text ?? '').replace(/^mailto:\s*/i, '')
}
