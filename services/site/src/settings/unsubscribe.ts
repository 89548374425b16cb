import type { Context } from '../context.ts'
import { html } from '../shell/html.ts'
import { messagePage, type Page } from '../shell/page.ts'
import { asSite } from '../shell/session.ts'
import type { VisitHandler } from '../shell/visit.ts'

/** Mail programs may open links on their own, so a GET changes nothing. Looks the same for any token. */
export function showUnsubscribe(mail: keyof typeof UNSUBSCRIBE): VisitHandler {
  return async (visit) => ({ page: unsubscribePage({ path: visit.path, ...UNSUBSCRIBE[mail] }) })
}

/** Turns notifications off, from our page or from a mail program (RFC 8058). */
export function unsubscribe(ctx: Context, mail: keyof typeof UNSUBSCRIBE): VisitHandler {
  return async (visit) => {
    await ctx.auth.admitForm({ clientAddress: visit.clientAddress }, asSite(visit))
    await ctx.inbox.unsubscribe({ token: visit.id('token'), weeklySummary: mail === 'weeklySummary' }, asSite(visit))
    const { done, lines } = UNSUBSCRIBE[mail]
    return { page: messagePage({ title: done, lines, next: { label: 'Open inbox', href: '/' } }) }
  }
}

const UNSUBSCRIBE = {
  notifications: {
    question: 'Turn off notifications?',
    effect: 'You will no longer get an email when new mail arrives in that inbox.',
    button: 'Turn off notifications',
    done: 'Notifications are off',
    again: 'You can turn them on again under Settings, Notifications.',
    lines: ['You won’t get notifications about new mail in that inbox. The inbox itself hasn’t changed.'],
  },
  weeklySummary: {
    question: 'Turn off the weekly summary?',
    effect: 'You will no longer get a weekly email about what assistants did in that inbox.',
    button: 'Turn off the summary',
    done: 'The weekly summary is off',
    again: 'You can turn it on again under Settings, Notifications.',
    lines: [
      'You won’t get a weekly summary of what assistants did in that inbox. The assistants can do what they did before.',
    ],
  },
}

type UnsubscribeData = { path: string; question: string; effect: string; button: string; again: string }

function unsubscribePage({ path, question, effect, button, again }: UnsubscribeData): Page {
  return {
    title: question,
    main: html`<h1>${question}</h1>
<p>${effect}</p>
<form method="post" action="${path}"><button>${button}</button></form>
<p class="aside">${again}</p>`,
  }
}
