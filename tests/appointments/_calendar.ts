import type { Answer, Guest } from '../_family.ts'
import { send } from '../_family.ts'
import type { Visitor } from '../_visitor.ts'

/** Creates a calendar address as a person does. @returns its path */
export async function createFeed(
  visitor: Visitor,
  words: { for?: string; details?: 'yes' | 'no' } = {},
): Promise<string> {
  const form = await visitor.get('/appointments/feeds')
  const request = /name="request" value="([^"]+)"/.exec(form.text)?.[1] ?? ''
  const fields = { request, for: words.for ?? '', details: words.details ?? 'yes' }
  await visitor.insist('/appointments/feeds', fields)
  const created = await visitor.get('/appointments/feeds/created')
  const [path] = /\/calendar\/[0-9a-z]{32}\.ics/.exec(created.text) ?? []
  if (path === undefined) throw new Error(`no address: ${created.status} ${created.text.slice(0, 500)}`)
  return path
}

/** As a calendar program does: without cookies. */
export function readFeed(
  { stack }: Pick<Guest, 'stack'>,
  path: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return send(`${stack.inboxUrl}${path}`, { headers: { 'user-agent': 'Google-Calendar-Importer', ...headers } })
}

/** Unfolds lines (RFC 5545 section 3.1). */
export function unfold(calendar: string): string {
  return calendar.replaceAll(/\r\n[ \t]/g, '')
}

/** The path of an appointment on the list page. */
export function pathOf(page: string, title: string): string {
  const [, path] = new RegExp(`href="(/appointments/apt_[^"]+)"[^>]*>(?:<s>)?<bdi>${title}`).exec(page) ?? []
  return (path ?? '').replaceAll('&#38;', '&')
}
