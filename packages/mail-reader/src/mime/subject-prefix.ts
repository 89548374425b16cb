/**
 * The prefixes that mail programs put before the subject of a forward, in their languages. `VS` is also an answer in Finnish, and
 * `SV` only an answer. With the colon of its script, and a number in brackets from some programs.
 */
const FORWARD =
  /^(?:fwd?|fs|wg|tr|rv|enc|i|inoltro|doorst|vs|vl|vb|videresend|pd|ilt|i̇lt|tov|továbbítás|továbbítva|redir\.?|red|edasi|eds|př|přep|pře|proslijeđeno|пересл|пер|πρθ|пд|転送|轉寄|转发|轉發|전달)(?:\[\d{1,3}\])?\s?[:：]/iu

const MAX_PREFIXES = 10

/** The forward prefix at the start of a subject, with its colon; empty without one. */
export function forwardPrefix(subject: string): string {
  return FORWARD.exec(subject.toLowerCase())?.[0] === undefined ? '' : subject.slice(0, subject.search(/[:：]/) + 1)
}

/** “Fwd: WG: Visit” becomes “Visit”. A subject of nothing else stays. */
export function withoutForwardPrefix(subject: string): string {
  let rest = subject.trim()
  for (let count = 0; count < MAX_PREFIXES; count += 1) {
    const prefix = forwardPrefix(rest)
    if (prefix === '') break
    rest = rest.slice(prefix.length).trimStart()
  }
  return rest === '' ? subject : rest
}
