import { type Html, html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import type { Workspace } from '../shell/workspace.ts'

export type AskData = {
  workspace: Workspace
  /** The question, also for the tab. */
  title: string
  question: Html
  /** What it means, one paragraph each. */
  means: (string | Html)[]
  /** Where the form goes; the page's own address. */
  action: string
  button: string
  /** What the form says besides. */
  hidden?: Record<string, string>
  back: string
}

/** Asks once more before something ends or changes hands, and says what that means. */
export function askPage({ workspace, title, question, means, action, button, hidden = {}, back }: AskData): Page {
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title,
      main: html`<h1>${question}</h1>
${means.map((line) => html`<p>${line}</p>`)}
<form method="post" action="${action}">${Object.entries(hidden).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
      )}
<div class="row"><button class="danger">${button}</button> <a href="${back}">Go back, change nothing</a></div>
</form>`,
    },
  )
}
