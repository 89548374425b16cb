import { type Html, html } from './html.ts'

export type Copyable = {
  id: string
  text: string
  /** Completes “Copy …” for screen readers, such as “the address”. */
  what: string
  look?: 'line' | 'large' | 'code' | 'block'
}

/** Renders text with a Copy button; without JavaScript there is only the text. */
export function copyable({ id, text, what, look = 'line' }: Copyable): Html {
  const shown =
    look === 'block'
      ? html`<pre tabindex="0" role="group" aria-label="Text to copy: ${what}"><code id="${id}">${text}</code></pre>`
      : html`<code id="${id}"><bdi>${text}</bdi></code>`
  return html`<div class="copyable ${look}">${shown}<button class="second" type="button" data-copies="${id}" hidden><span class="label">Copy</span><span class="unseen"> ${what}</span></button><span class="unseen" role="status"></span></div>`
}
