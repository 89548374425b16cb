import { type Html, html } from '../shell/html.ts'

/** Why it waits, if not because of the assistant's setting. */
export function guardNotice({
  assistant,
  guarded,
}: {
  assistant: string
  guarded?: boolean | undefined
}): Html | undefined {
  if (!guarded) return undefined
  return html`<p class="notice"><bdi>${assistant || 'The assistant'}</bdi> had read mail from an unverified sender. Check that this is what you want.</p>`
}
