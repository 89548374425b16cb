import { ConversationView, type ViewCounts } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html } from '../shell/html.ts'

export type ViewName = 'open' | 'mine' | 'done'

const VIEWS: Record<ViewName, { view: ConversationView; label: string; hint: string }> = {
  open: { view: ConversationView.OPEN, label: 'Open', hint: 'Not done yet' },
  mine: { view: ConversationView.MINE, label: 'Mine', hint: 'What you have taken' },
  done: { view: ConversationView.DONE, label: 'Done', hint: 'Done, or no action needed' },
}

/** On a phone, "Next" has a page of its own. */
export type TabName = ViewName | '' | 'next'

/** Counting stops here. */
const MAX_COUNT = 100

/** @returns an empty string, for all mail, for anything else */
export function readView(name: string): ViewName | '' {
  return Object.hasOwn(VIEWS, name) ? (name as ViewName) : ''
}

export function viewOf(name: ViewName | ''): ConversationView {
  return name === '' ? ConversationView.UNSPECIFIED : VIEWS[name].view
}

/** The family’s open work is one tap from all mail. */
export function viewTabs(current: TabName, counts: ViewCounts | undefined, hrefOf: (tab: TabName) => string): Html {
  const tab = (name: TabName, label: string, hint: string, count: number | undefined) =>
    html`<li${name === 'next' && html` class="next-tab"`}><a href="${hrefOf(name)}" title="${hint}"${name === current && html` aria-current="page"`}>${label}${count !== undefined && html` <span class="count">${count >= MAX_COUNT ? '99+' : count}</span>`}</a></li>`
  return html`<nav aria-label="Show"><ul class="mail-views">${tab('next', 'Next', 'What comes next', undefined)}${(
    Object.keys(VIEWS) as ViewName[]
  ).map((name) =>
    tab(name, VIEWS[name].label, VIEWS[name].hint, counts?.[name]),
  )}${tab('', 'All', 'All mail', counts?.all)}</ul></nav>`
}

export const EMPTY_VIEWS: Record<ViewName, { title: string; text: string }> = {
  open: { title: 'Nothing is open', text: 'New mail appears here until someone marks it as done.' },
  mine: { title: 'You have no messages', text: 'Open a message and press “I’ll take this”.' },
  done: { title: 'Nothing is done yet', text: 'Messages that your family has marked as done appear here.' },
}
