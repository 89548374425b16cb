import { type Html, html } from './html.ts'

export type Copyable = {
  /** Names it within the page. */
  id: string
  text: string
  /** What it is, to go after “Copy”, such as “the address”. */
  what: string
  /**
   * `line`: in the flow of a list. `large`: what the page is about. `code`: to be read out, letter by letter. `block`: several
   * lines, such as a command.
   */
  look?: 'line' | 'large' | 'code' | 'block'
}

/** Text to be taken elsewhere, with a button that copies it. Without our script there is no button, and one marks the text. */
export function copyable({ id, text, what, look = 'line' }: Copyable): Html {
  const shown =
    look === 'block'
      ? html`<pre tabindex="0" role="group" aria-label="Text to copy: ${what}"><code id="${id}">${text}</code></pre>`
      : html`<code id="${id}"><bdi>${text}</bdi></code>`
  return html`<div class="copyable ${look}">${shown}<button class="second" type="button" data-copies="${id}" hidden><span class="label">Copy</span><span class="unseen"> ${what}</span></button><span class="unseen" role="status"></span></div>`
}
