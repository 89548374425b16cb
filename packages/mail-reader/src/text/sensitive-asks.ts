/** What scams ask for, and what clinics, insurers and banks do not ask for by mail. */
export type SensitiveAsk = 'money' | 'gift_cards' | 'password' | 'identity_number' | 'account_number'

const MAX_TEXT = 100_000
/** Letters of other scripts and digits that look like Latin ones, as they are written into words to avoid a rule. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [...'аaеeоoрpсcуyхxіiѕsјjԁdԛqԝwһhкkмmтtвbнnαaοoρpνvιiκkτtυuεeηn'.matchAll(/(.)(.)/gu)].map(
    ([, from = '', to = '']) => [from, to],
  ),
)

/** A demand and its thing within a sentence, in this order; much of what lies between them is other things that are asked for. */
const GIVE =
  'send(?:ing)?|reply(?:ing)? with|respond with|responda con|give|tell|text|provide|submit|supply|read (?:me|us)|(?:re-?)?confirm|(?:re-?)?verify|(?:re-?)?validate|share|forward|disclose|reveal|upload|type in|envie[ns]?|enviar|enviame|mande|mandame|facilite|confirme|verifique|proporcione|introduzca'
const DEMAND = String.raw`${GIVE}|enter|fill in|update|unlock with|needs? (?:your|you to)|actualice|necesit\w{1,6}`

const GIFT_CARDS = asks(
  String.raw`buy(?:ing)?|purchase|get (?:me|some|\d{1,2}|four|five|him|her|them)|pick(?:ing)? up|send(?:ing)?|pay(?:ing)?|paid|settle|return|need|grab|compre?|envi[ae]|pague|with (?:the )?rest`,
  '(?:gift|itunes|google play|steam|vanilla|razer|prepaid|amazon|ebay|visa|target|walmart) ?(?:gift ?)?cards?|apple (?:gift )?cards|tarjetas? (?:de )?regalo|claim codes',
)
const SCRATCHED = asks(
  'send|text|email|read|photos? of|scratch',
  '(?:gift|steam|itunes|card) codes?|scratch|(?:the )?codes (?:on|from|of) the (?:back|card)',
)
const ADD_FUNDS = asks('add funds|deposit|reload|charge', 'gift cards?')
const PASSWORD = asks(
  GIVE,
  '(?:e?mail |outlook |current |account |banking |mailbox |your |su |y )(?:password|passcode|credentials|contrasena|clave)|password|credentials|contrasena|recovery (?:phrase|code)|(?:one-time|verification|security|access|login|authentication|6-digit|six-digit) codes?|codigo de (?:verificacion|seguridad|acceso)|login details|the code (?:please|quickly|now)|mailbox',
)
const TYPED =
  /\benter (?:your|the) (?:(?:e?mail|outlook|webmail|online banking|bank|account|current|login details and|recovery phrase and) ){1,3}(?:password|pin|credentials)\b/g
const IDENTITY = asks(
  `${DEMAND}|issue yours|(?:photo|picture|copy) of`,
  String.raw`social security (?:number|no\b|card|#)|(?:of )?your social\b(?! media| worker)|ssn|(?:medicare|medicaid) (?:number|no\b|id|card)|passport (?:number|copy)|copy of your passport|mother.?s maiden name|seguro social|numero de (?:medicare|pasaporte)|pasaporte`,
)
const ACCOUNT = asks(
  `${DEMAND}|charge`,
  String.raw`(?:credit|debit|bank|atm|payment) ?card (?:numbers?|details|information|info)|(?:your )?card (?:numbers?|details|information)|(?:credit|debit|bank|atm) card\b|cvv|cvc|bank(?:ing)? (?:account|details|information|info|login|password|statements)|checking account|routing number|online banking|iban|datos bancarios|cuenta bancaria|numero de (?:tarjeta|cuenta)|tarjeta de (?:credito|debito)|direct deposit account|billing (?:information|details)|payment (?:information|details)|your pin`,
)
/** Nobody gets it back. */
const GONE = asks(
  'send(?:ing)?|pay|paying|transfer|wire|deposit|remit|help|purchase|settle|withdraw|claim|get|return|need|give|donate|mande|manda|envie',
  'western union|moneygram|bitcoins?|btc|crypto(?:currency)?|ethereum|usdt|by wire|wire (?:transfer|today|now)|or wire|by courier|giro de gastos|safe account|protected account|new (?:bank )?account',
)
const WIRED =
  /\b(?:wire|transfer) (?:me |us |the |your |at least |part |\$ ?)?(?:\$? ?\d[\d,.]{1,9}|money|funds|supplier|bail|deposit|difference|inheritance|today|mover)/g
/** Paid so by many, honest ones too: with pressure beside it. */
const QUICK = asks(
  String.raw`send|pay|paying|transfer|lend|deposit|upgrade|needs? (?:your|you to|\$|\d)|wire|get|buy|pague|mande|manda|envie`,
  String.raw`zelle|venmo|cash ?app|money order|bank transfer|apple pay|prepaid card|transferencia|dinero|money|cash|(?:\$|usd ?|£|€) ?\d|\d{3,5} (?:by|today|until)|bail|fine|multa|tasa|tarifa|(?:outstanding|unpaid) tolls?|fees?\b|charges?\b|deposit|(?:closing |small )?tax\b`,
)
const OWED =
  /\b(?:fees?|charges?|tolls?|fine|balance|tax|bond) (?:of [^.!?\n]{1,12}|[^.!?\n]{0,20})?must be paid|\b(?:unpaid|outstanding) (?:toll|parking fine|taxes)|\bmust be paid/g
const PRESSURE =
  /\b(?:arrest\w{0,3}|warrant|lawsuit|legal action|sheriff|within (?:\d{1,2}|twenty.four|forty.eight) ?(?:hours?|hrs?|minutes?)|in \d{1,2} minutes|urgent(?:ly|e)?|today only|pay now|tonight|final (?:notice|warning)|to (?:release|receive|claim|cancel|get it|unlock|qualify|win)|claim (?:your|it)|winner|won|prize|lottery|inheritance|on hold|is held|could not deliver|redelivery|stranded|jail|stolen|hospital in|accident|don.?t tell|tell nobody|not to tell|keep (?:this|it) (?:between|secret|private)|between us|returned to sender|returns? at once|the money comes back|will pay you back|pay you back|i hate to ask|love you|my love|sweetheart|darling|new number|account below|is locked|does not work here|suspen\w{3,5}|garnished|disconnect\w{0,4}|cut (?:off|in)|auctioned|hackea\w{2,3}|arrestad\w|inmediatamente|immediately,? (?:or|to)|immediately from|paquete|premio|carcel|approved|wallet below|number below|as soon as i am home|overseas|free roof|loyalty|survey reward|kindly)\b/

/** Warnings speak of the same things. */
const WARNED =
  /\b(?:never|nunca|not|n.t|no (?:le|te|pida|envie)|nobody|no one|beware|scam\w{0,4}|callers?|fraudsters?|criminals?|someone|somebody|anyone|anybody|estafa\w{0,4})\b[^,;:]{0,60}$/

/** Something of each thing above. Few sentences have it, and only those are read closely. */
const HAS_THING =
  /card|code|passw|passc|passp|pasap|credential|mailbox|contras|clave|recovery|login|social|ssn|medica(?:re|id)|maiden|seguro|bank|routing|\biban|cvv|cvc|cuenta|tarjeta|billing|payment|\bpin\b|western|moneygram|bitcoin|btc|crypto|ethereum|usdt|\bwire|courier|\bgiro|account|zelle|venmo|\bcash|money|transfer|dinero|[$£€]|usd|bail|\bfine\b|multa|tasa|tarifa|\btoll|\bfees?\b|\bcharges?\b|deposit|\btax|funds|\d{3} (?:by|today|until)|must be paid/

type Rule = { ask: SensitiveAsk; of: readonly RegExp[] }

const RULES: readonly Rule[] = [
  { ask: 'gift_cards', of: [GIFT_CARDS, SCRATCHED, ADD_FUNDS] },
  { ask: 'password', of: [PASSWORD, TYPED] },
  { ask: 'identity_number', of: [IDENTITY] },
  { ask: 'account_number', of: [ACCOUNT] },
  { ask: 'money', of: [GONE, WIRED] },
]

function asks(demand: string, thing: string): RegExp {
  return new RegExp(String.raw`\b(?:${demand})\b[^.!?\n]{0,70}?(?<![a-z])(?:${thing})`, 'g')
}

/**
 * What a letter asks the reader to give that harms them if the sender lies, by rules alone: a demand and a thing in one sentence,
 * unless its clause warns. A payment counts with pressure beside it. Takes linear time.
 */
export function findSensitiveAsks(subject: string, text: string): SensitiveAsk[] {
  const folded = fold(`${subject}.\n${text}`.slice(0, MAX_TEXT))
  const sentences = folded
    .split(/(?<=[.!?;])\s|\n(?=\n|[ \t]{0,8}[-•*\d])/)
    .filter((sentence) => sentence.trim() !== '')
  const close = [...sentences.entries()].filter(([, sentence]) => HAS_THING.test(sentence))
  const found = RULES.filter(({ of }) => close.some(([, sentence]) => of.some((pattern) => demands(sentence, pattern))))
  const asked = new Set(found.map(({ ask }) => ask))
  const isPressed = (index: number) => PRESSURE.test(sentences.slice(Math.max(0, index - 1), index + 2).join(' '))
  const isPayment = (sentence: string) => demands(sentence, QUICK) || demands(sentence, OWED)
  if (close.some(([index, sentence]) => isPayment(sentence) && isPressed(index))) asked.add('money')
  return [...asked]
}

function demands(sentence: string, pattern: RegExp): boolean {
  return [...sentence.matchAll(pattern)].some(
    ({ index }) => !WARNED.test(sentence.slice(Math.max(0, index - 80), index)),
  )
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
