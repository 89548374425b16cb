import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import { cut } from '@family-inbox/service-kit/text/cut'
import { trimEndOf } from '@family-inbox/service-kit/text/trim'
import { type CalendarNode, MEETING_LINES } from './calendar-tree.ts'

/** How to join by video, and what else the organizer writes, such as what to bring. Both may be empty. */
export type Meeting = { link: string; note: string }

const MAX_LINK_CHARS = 1000
const MAX_NOTE_CHARS = 500
const LINK = /https?:\/\/[^\s<>"'\\]{1,2000}/gi
/** Hosts and paths of video visits. */
const VIDEO =
  /zoom\.|teams\.(?:microsoft|live)\.|meet\.google\.|webex\.|doxy\.me|whereby\.|gotomeet|goto\.com|bluejeans|skype|jitsi|meet\.jit\.si|chime\.aws|doximity|amwell|mychart|telehealth|telemed|video|visit|\/(?:j|join|meet|meeting|meetings|room|rooms|l\/meetup-join)\//i
/** A line that programs write before what they add to a person’s text. */
const RULE = /^(?:[_=~*.─—-]{5,}|-::~.*)$/

/** The first line that is for it, then the event’s own address, then a text that has one. */
export function findMeeting({ properties }: CalendarNode): Meeting {
  const textsOf = (name: string) => properties.flatMap((line) => (line.name === name ? [line.text] : []))
  const [description = ''] = textsOf('description')
  const [location = ''] = textsOf('location')
  const named = MEETING_LINES.flatMap(textsOf).flatMap(linksOf)
  const written = linksOf(`${location}\n${description}`)
  const link =
    named[0] ?? textsOf('url').flatMap(linksOf)[0] ?? written.find((one) => VIDEO.test(one)) ?? written[0] ?? ''
  return { link, note: noteOf(description) }
}

function linksOf(text: string): string[] {
  const found = [...text.slice(0, 8192).matchAll(LINK)].map(([link]) => trimEndOf(link, ').,;:!?]}'))
  return found.filter((link) => link.length <= MAX_LINK_CHARS && URL.canParse(link))
}

function noteOf(description: string): string {
  const lines = cleanText(description)
    .split('\n')
    .map((line) => line.trim())
  const end = lines.findIndex((line) => RULE.test(line))
  const person = end > 0 ? lines.slice(0, end) : lines
  return cut(person.filter((line) => line !== '').join('\n'), MAX_NOTE_CHARS)
}
