import type { Publishable } from './publish-events.ts'

/** What is read again when one of them is in trouble. */
const MOST_EVENTS = 32
/** Well under the 1 MB that NATS takes, whatever its events weigh; the largest event is a quarter of it. */
const MOST_CHARACTERS = 128 * 1024

/** Events as they go through the stream together: in order, not too many, not too large. Pure. */
export function inMessages<Event extends Pick<Publishable, 'envelope'>>(events: readonly Event[]): Event[][] {
  const messages: Event[][] = []
  let size = 0
  for (const event of events) {
    const { length } = event.envelope.payload
    const current = messages.at(-1)
    if (current === undefined || current.length === MOST_EVENTS || size + length > MOST_CHARACTERS) {
      messages.push([event])
      size = length
    } else {
      current.push(event)
      size += length
    }
  }
  return messages
}
