/** What scams ask for, and what clinics, insurers and banks do not ask for by mail. */
export type SensitiveAsk = 'money' | 'gift_cards' | 'password' | 'identity_number' | 'account_number'

const MAX_TEXT = 20_000
/** Letters of other scripts and digits that look like Latin ones, as they are written into words to avoid a rule. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [...'аaеeоoрpсcуyхxіiѕsјjԁdԛqԝwһhкkмmтtвbнnαaοoρpνvιiκkτtυuεeηn'.matchAll(/(.)(.)/gu)].map(
    ([, from = '', to = '']) => [from, to],
  ),
)

const GIFT_CARDS =
  /\b(?:(?:gift|itunes|google play|steam|vanilla|razer|prepaid|apple|amazon|ebay|visa gift|target|walmart) ?(?:cards?|vouchers?)|tarjetas? (?:de )?regalo|scratch (?:off )?the (?:back|silver|code|panel))/
const PASSWORD =
  /\b(?:pass(?:word|code|phrase)s?|(?:one[- ]time|verification|security|access|login|log-in|sign-in|authentication|6[- ]digit|six[- ]digit) codes?|pin(?: (?:code|number))?|(?:log ?in|sign-in|account|bank|webmail|e?mail) (?:details|credentials|id and)|credentials|mailbox|contrasena|codigo de (?:verificacion|seguridad|acceso)|clave)\b/
const IDENTITY =
  /\b(?:social security (?:number|no|card|#)|socials?\b(?! media| worker| services?)|ssn|(?:medicare|medicaid|insurance|beneficiary|member) (?:number|no|id|card(?: number| details)?|#)|date of birth|mother.?s maiden name|driver.?s licen[sc]e|passport (?:number|copy)|(?:photo|picture|copy) of your (?:id|license|passport|medicare card)|numero de (?:seguro social|medicare|pasaporte)|seguro social)\b/
const ACCOUNT =
  /\b(?:(?:credit|debit|bank|payment|atm) ?card(?: (?:number|details|information|info))?|card (?:number|details|information)|cvv|cvc|(?:bank(?:ing)?|checking|savings) (?:account|details|information|info|login)|account (?:number|and routing)|routing number|(?:payment|billing) (?:details|information|info|method)|iban|online banking|(?:datos|cuenta) bancari[ao]s?|numero de (?:tarjeta|cuenta)|tarjeta de (?:credito|debito))\b/
const HOW_TO_PAY =
  /\b(?:by wire|wire (?:transfer|me|us|the|\$)|western union|moneygram|bitcoins?|btc|crypto(?:currency)?|ethereum|usdt|zelle|venmo|cash ?app|money order|apple pay|bank transfer|paypal friends|transferencia|giro|money|funds|cash|dinero)\b/
const FEE =
  /\b(?:processing|releas(?:e|ing)|customs|activation|clearance|re-?delivery|shipping|delivery|reactivation|handling|insurance|transfer|refundable|administrati(?:on|ve)|legal|attorney|court|small|one-time|upfront|advance|registration|verification|unlock(?:ing)?|tax|late|toll) (?:fees?|charges?|deposit|fine|tax)\b|\b(?:bail|fine|tasa|tarifa|multa|(?:outstanding|unpaid) tolls?)\b|(?:\$|usd ?|£|€) ?\d[\d,.]*/

const GIVE =
  /\b(?:send|sending|reply(?:ing)? with|respond with|text|email|mail|forward|give|tell|share|provide|submit|supply|read (?:me|us|out)|confirm|re-?confirm|verify|re-?verify|validate|update|enter|fill in|need|requires?|want|disclose|reveal|upload|envie[ns]?|enviar|enviame|mande|mandame|facilite|confirme|verifique|actualice|introduzca|proporcione|necesit\w+|responda con)\b/
const BUY =
  /\b(?:buy|buying|purchase|get (?:me|some|\d|four|five)|pick(?:ing)? up|send|pay|need|scratch|photos? of|pictures?|codes|compr\w+|envi\w+|mand\w+)\b/
const PAY =
  /\b(?:pay|paying|(?:must|to) be paid|payment|send|sending|transfer|wire|(?<!direct )deposit|lend|loan|borrow|help me with|need|remit|pague|pagar|envie|enviar|envia|enviame|manda|mande|mandame|transfiera|prest\w+|deposit\w+)\b/
/** What gives a letter away together with a fee: a bill has none of them. */
const PRESSURE =
  /\b(?:arrest|warrant|suspen\w+|lawsuit|legal action|within (?:\d+|twenty.four|forty.eight) ?(?:hours?|hrs?|minutes?)|immediately|urgent(?:ly)?|today only|final (?:notice|warning)|to release|to receive|to claim|claim your|winner|won|prize|lottery|inheritance|parcel|package|shipment|refund|grant|stranded|hospital bill|jail|don.?t tell|keep (?:this|it) (?:between|secret|private)|confidential|returned to sender|avoid|unlock|hackea\w+|hacked|arrestad\w+|urgente|inmediatamente|paquete|premio|carcel)\b/
/** Warnings speak of the same things. */
const NOT =
  /\b(?:never|nunca|beware|scam|scams|scammers?|fraud alert|estafa\w*|if (?:someone|anyone|a caller)|nobody|no one)\b|\b(?:do not|don.?t|will not|won.?t|does not|doesn.?t|need not|no need to|no (?:le |te )?) ?(?:ever )?(?:ask|call|request|require|share|send|give|provide|respond|reply|click|buy|pay|need|have to|pid\w+|envi\w+|compart\w+|solicit\w+|necesit\w+)\b/

type Rule = { ask: SensitiveAsk; of: RegExp; by: RegExp }

const RULES: readonly Rule[] = [
  { ask: 'gift_cards', of: GIFT_CARDS, by: BUY },
  { ask: 'password', of: PASSWORD, by: GIVE },
  { ask: 'identity_number', of: IDENTITY, by: GIVE },
  { ask: 'account_number', of: ACCOUNT, by: GIVE },
  { ask: 'money', of: HOW_TO_PAY, by: PAY },
]

/**
 * What a letter asks the reader to give that harms them if the sender lies, by rules alone: a thing and a demand in one sentence that
 * is no warning; a fee counts together with pressure. Takes linear time.
 */
export function findSensitiveAsks(subject: string, text: string): SensitiveAsk[] {
  const folded = fold(`${subject}.\n${text}`.slice(0, MAX_TEXT))
  const sentences = folded
    .split(/(?<=[.!?;])\s|\n(?=\n|[ \t]{0,8}[-•*\d])/)
    .filter((sentence) => sentence.trim() !== '' && !NOT.test(sentence))
  // "I need gift cards. Send me the codes."
  const pairs = sentences.map((sentence, index) => `${sentence} ${sentences[index + 1] ?? ''}`)
  const found = RULES.filter(({ of, by }) => pairs.some((pair) => of.test(pair) && by.test(pair)))
  const asks = new Set(found.map(({ ask }) => ask))
  const isPressed = PRESSURE.test(folded)
  if (isPressed && pairs.some((pair) => FEE.test(pair) && PAY.test(pair))) asks.add('money')
  return [...asks]
}

/** Lower case, without accents and lookalikes; letters set apart from each other are one word. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{ASCII}]/gu, (letter) => LOOKALIKES[letter] ?? letter)
    .replaceAll(/(?<![a-z])[a-z](?:[ .\-_*][a-z]){2,30}(?![a-z])/g, (word) => word.replaceAll(/[ .\-_*]/g, ''))
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[^\S\n]+/g, ' ')
}
