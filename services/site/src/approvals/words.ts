import { type Html, html } from '../shell/html.ts'

/** Names the assistant and its person: “Claude Code, for Ana”. */
export function assistantOf(name: string, assistant: string): Html {
  if (assistant === '') return html`The assistant of <bdi>${name}</bdi>`
  return html`<bdi>${assistant}</bdi>, for <bdi>${name}</bdi>,`
}
