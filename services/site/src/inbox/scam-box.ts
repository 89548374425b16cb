import { type MessageSummary, SensitiveAsk } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html } from '../shell/html.ts'
import { listWords } from '../shell/parts.ts'
import { isVerified, originalOf } from './sender.ts'

const WORDS: Record<SensitiveAsk, string> = {
  [SensitiveAsk.MONEY]: 'money',
  [SensitiveAsk.GIFT_CARDS]: 'gift cards',
  [SensitiveAsk.PASSWORD]: 'a password or code',
  [SensitiveAsk.IDENTITY_NUMBER]: 'a Medicare or Social Security number',
  [SensitiveAsk.ACCOUNT_NUMBER]: 'a card or bank number',
  [SensitiveAsk.UNSPECIFIED]: 'personal details',
  [SensitiveAsk.UNRECOGNIZED]: 'personal details',
}

/** What it asks to be given, unless its sender is proven. The writer of a forwarded text never is. */
export function riskyAsks(message: MessageSummary): SensitiveAsk[] {
  const isProven = isVerified(message) === true && originalOf(message) === undefined
  return isProven ? [] : message.asksFor
}

/**
 * Above a letter that a scam may have written. Its links are text until a reader says that they know the sender; that counts for this
 * view alone, because anybody can write under an address that nothing proves.
 * @param knownHref the page with links; undefined once there
 */
export function scamBox(message: MessageSummary, knownHref: string | undefined): Html | undefined {
  const asks = riskyAsks(message)
  if (asks.length === 0) return undefined
  const words = listWords([...new Set(asks.map((ask) => WORDS[ask]))])
  return html`<section class="notice scam" aria-label="Warning">
<p><strong>May be a scam.</strong> It asks for ${words}, and nothing proves who sent it. Medicare and banks never do that by mail. Call a number you already have.${knownHref !== undefined && html` <a href="${knownHref}">I know this sender</a>`}</p>
</section>`
}
