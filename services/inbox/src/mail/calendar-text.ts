const MAX_CALENDAR_CHARS = 256 * 1024
const LABELS: Record<string, string> = {
  REQUEST: 'Invitation',
  PUBLISH: 'Calendar event',
  CANCEL: 'Canceled',
  REPLY: 'Reply to an invitation',
  COUNTER: 'Proposed new time',
}
/**
 * Describes a calendar part (RFC 5545) in one line, such as `Invitation: Dr. Weber, Tue 5 Aug 2025 14:30
 * (Europe/Berlin)`. Undefined without an event.
 */
export function describeCalendar(calendar: string): string | undefined {
  const lines = calendar
    .slice(0, MAX_CALENDAR_CHARS)
    .replace(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
  const start = lines.findIndex((line) => /^BEGIN:VEVENT\s*$/i.test(line))
  if (start < 0) return undefined
  const event = lines.slice(start)
  const summary = property(event, 'SUMMARY')?.value ?? 'no title'
  const when = describeTime(property(event, 'DTSTART'))
  const label = LABELS[property(lines, 'METHOD')?.value.toUpperCase() ?? ''] ?? 'Calendar event'
  return `${label}: ${unescapeText(summary)}${when ? `, ${when}` : ''}`
}

type Property = { value: string; zone?: string }

function property(lines: string[], name: string): Property | undefined {
  for (const line of lines) {
    const [, found, parameters = '', value = ''] =
      /^([A-Z-]+)((?:;[^:";]*(?:"[^"]*"[^:";]*)*)*):(.*)$/i.exec(line) ?? []
    if (found?.toUpperCase() === name) return { value: value.trim(), zone: /;TZID="?([^";:]+)/i.exec(parameters)?.[1] }
  }
  return undefined
}

function describeTime(start: Property | undefined): string | undefined {
  const [, year, month, day, hour, minute, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z)?)?$/.exec(start?.value ?? '') ?? []
  if (!year) return undefined
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  const weekday = date.toLocaleDateString('en-GB', { weekday: 'short', timeZone: 'UTC' })
  const named = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
  if (!hour) return `${weekday} ${named}`
  const zone = utc ? 'UTC' : start?.zone
  return `${weekday} ${named} ${hour}:${minute}${zone ? ` (${zone})` : ''}`
}

function unescapeText(text: string): string {
  return text.replace(/\\([\\;,nN])/g, (_, escaped: string) => (escaped.toLowerCase() === 'n' ? ' ' : escaped))
}
