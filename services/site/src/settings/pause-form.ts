import { type Html, html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import type { Assistant } from './list-assistants.ts'

/** The day and the assistant of the activity that the form leads back to. */
export type BackToActivity = { day: string; assistant: string }

export function pagesOf({ id, kind }: Pick<Assistant, 'id' | 'kind'>): { change: string; disconnect: string } {
  const change = `/settings/${kind === 'app' ? 'connected-apps' : 'tool-keys'}/${id}`
  return { change, disconnect: `${change}/${kind === 'app' ? 'disconnect' : 'revoke'}` }
}

/** Pauses an assistant, or resumes a paused one. */
export function pauseForm(assistant: Assistant, back?: BackToActivity): Html {
  const isPaused = assistant.pausedAt !== undefined
  const label = html`${isPaused ? 'Resume' : 'Pause'}<span class="unseen"> ${assistant.name}</span>`
  return form(assistant, isPaused ? 'off' : 'on', html`<button class="second">${label}</button>`, back)
}

/** Resumes the one that was paused last. */
export function undoPause(assistants: Assistant[], back?: BackToActivity): Page['undo'] {
  const paused = assistants.filter(({ pausedAt }) => pausedAt !== undefined)
  const [latest] = paused.sort((one, other) => Number(other.pausedAt) - Number(one.pausedAt))
  return latest && { 'assistant-paused': form(latest, 'off', html`<button class="quiet">Undo</button>`, back) }
}

function form(assistant: Assistant, pause: 'on' | 'off', button: Html, back: BackToActivity | undefined): Html {
  return html`<form method="post" action="${pagesOf(assistant).change}"><input type="hidden" name="pause" value="${pause}">
${back && html`<input type="hidden" name="back" value="activity"><input type="hidden" name="day" value="${back.day}"><input type="hidden" name="assistant" value="${back.assistant}">`}
${button}</form>`
}
