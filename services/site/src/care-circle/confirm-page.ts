import { type Html, html } from '../shell/html.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import type { Workspace } from '../shell/workspace.ts'

type ConfirmData = {
  workspace: Workspace
  /** Plain text, for the browser tab. */
  title: string
  question: Html
  /** A paragraph each. */
  consequences: (string | Html)[]
  action: string
  button: string
  hidden?: Record<string, string>
  back: string
}

export function confirmPage({
  workspace,
  title,
  question,
  consequences,
  action,
  button,
  hidden = {},
  back,
}: ConfirmData): Page {
  return sectionPage(
    { id: 'care-circle', workspace },
    {
      title,
      main: html`<h1>${question}</h1>
${consequences.map((line) => html`<p>${line}</p>`)}
<form method="post" action="${action}">${Object.entries(hidden).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
      )}
<div class="row"><button class="danger">${button}</button> <a href="${back}">Go back</a></div>
</form>`,
    },
  )
}
