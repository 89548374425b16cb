import { shiftDay } from '@family-inbox/service-kit/time/calendar-day'
import { calendarDay } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { findDays, foldWords, type NamedDay, nameDay } from './find-dates.ts'

const MAX_TEXT = 20_000
/** Without a year, a day that has passed would be read as next year's. */
const MAX_DAYS_AHEAD = 120
/** Words between "by" and its day, such as "the end of business on Friday". */
const MAX_WORDS = 8
const LONGEST_WORD = 30

/** All patterns read text in lower case without accents: English, then German, Spanish, French and Portuguese. */
const ANSWER =
  /(?<!\p{L})(?:let (?:us|me) know|reply|respond|answer|confirm|rsvp|get back to|hear from you|tell (?:us|me)|(?:ask|asks|asked|asking) (?:you )?for|need to know|your (?:reply|answer|response|confirmation|decision)|antworten sie|antworte|antwortet|um (?:ihre |eine )?(?:antwort|bestatigung)|ruckmeldung|bescheid|melden sie sich|melde dich|meldet euch|teilen sie uns|bestatigen|sagen sie uns|responda|respondan|responder|respondanos|respondenos|conteste|contesten|contestar|contestenos|confirme|confirmen|confirmenos|confirmar|avise|avisen|avisenos|avisarnos|avisar|diganos|dinos|su (?:respuesta|confirmacion)|repondre|repondez|confirmer|confirmez|(?:votre|une) reponse|nous (?:faire savoir|dire|prevenir|informer)|dites-nous|prevenez-nous|respondam|confirmem|avisem|diga-nos|informe-nos|(?:sua|vossa|uma) resposta|sua confirmacao)(?!\p{L})/u
const POLITE =
  /(?<!\p{L})(?:please(?! note| be aware| find)|kindly|bitte(?! beacht)|bitten|por favor|rogamos|agradecemos|agradeceriamos|merci d(?:e|['’])|veuillez|s['’]il (?:vous|te) plait|svp|priere de|(?:vous )?(?:prions|demandons) de|queira|pedimos)(?!\p{L})/u
/** Asks for an answer only after a polite word: "we will call you by Friday" does not. */
const ACTION =
  /(?<!\p{L})(?:send|return|sign|call|contact|phone|choose|complete|fill|submit|email|zuruck|senden|schicken|unterschreiben|anrufen|rufen|ausfullen|enviar|envie|envienos|firmar|firme|llamar|llame|llamenos|devolver|devuelva|elija|renvoyer|renvoyez|signer|signez|appeler|appelez|retourner|retournez|envoyer|envoyez|choisir|assinar|assine|ligar|ligue|devolva|escolha|escolher)(?!\p{L})/u
const BRIEF =
  /(?<!\p{L})(?:please|bitte|por favor|s['’]il vous plait|svp|merci),? (?:by|before|bis|antes|avant|ate)(?!\p{L})/u
const PROMISE =
  /(?<!\p{L})(?:(?:we|i|they|he|she|you|it)(?: will| shall|['’]ll)|(?:wir|ich) (?:werden|melden|geben|senden|schicken|antworten|bestatigen)|sie (?:erhalten|bekommen)|vous recevrez|(?:nous|je) (?:allons|vous (?:dirons|confirmerons|enverrons))|vamos a|vamos|recibira|recebera|iremos)(?!\p{L})/u
const BY =
  /(?<!\p{L})(?:by|before|(?:no|not) later than|bis|spatestens|vor|antes|hasta|mas tardar|avant|d['’]ici|jusqu['’]au|plus tard|ate|mais tardar)(?!\p{L})/gu
const SKIPPED = new Set(
  `the this on at latest end of close business noon pm am uhr h coming by mon tue tues wed thu thur thurs fri sat sun
  bis zum zu dem den am spatestens kommenden diesen ende einschließlich mo di mi do fr sa so
  del de el la al dia este proximo lun mar mie jue vie sab dom le au ce jour soir midi fin jeu ven sam dim
  a o ao as da do esta proxima final fim`.split(/\s+/),
)
/** "Next Friday" means two days to different people. A written date after it decides. */
const UNCLEAR = new Set(['next', 'nachsten', 'nachster'])
const UNCLEAR_AFTER = /[\s,]{1,2}(?:week|of next|nachster|der nachsten|prochain|de la semaine|da proxima semana)/uy
const WEEKDAYS: readonly string[] = [
  'sunday sonntag domingo dimanche',
  'monday montag lunes lundi segunda segunda-feira',
  'tuesday dienstag martes mardi terca terca-feira',
  'wednesday mittwoch miercoles mercredi quarta quarta-feira',
  'thursday donnerstag jueves jeudi quinta quinta-feira',
  'friday freitag viernes vendredi sexta sexta-feira',
  'saturday samstag sonnabend sabado samedi',
]
const WEEKDAY_OF = new Map(WEEKDAYS.flatMap((names, day) => names.split(' ').map((name) => [name, day] as const)))
const TOMORROW = new Set(['tomorrow', 'morgen', 'manana', 'demain', 'amanha'])
/** Also "second" to "sixth". */
const ORDINAL = new Set(['segunda', 'terca', 'quarta', 'quinta', 'sexta'])
const ENDS = /\s{0,2}(?:$|[.,;:!?)\n]|dia |as )/uy
const WORD = /[\s,:(-]{0,3}(\p{L}[\p{L}'’-]{0,30}|\d{1,2}(?:[:.h]\d{2})?(?![\d/]))/uy
/** As Germans write it: 14.05. */
const DAY_DOT_MONTH = /[\s,:(]{0,3}(\d{1,2})\.\s?(\d{1,2})\.(?!\d)/uy
/** Leaves out the dot of "Sept. 5". */
const SENTENCE_END = /(?<=\p{L}{3})\.(?=\s(?!\d))|[!?](?=\s)|\n\s{0,3}\n/u
const ATTRIBUTION = /(?<!\p{L})(?:wrote|schrieb|escribio|ecrit|escreveu)(?!\p{L})/u

/** The next day by which a mail asks for an answer, such as 2026-05-14; undefined when all have come. */
export function comingDeadline(text: string, writtenAt: Date, clock: ReaderClock): string | undefined {
  const today = calendarDay(clock.now, clock)
  return findDeadlines(text, calendarDay(writtenAt, clock)).find((day) => day > today)
}

/**
 * The days by which a mail asks for an answer, the earliest first, in English, Spanish, German, French or Portuguese. What can
 * be read in two ways is left out, and so is what the mail quotes.
 * @param writtenOn such as 2026-05-12
 */
export function findDeadlines(text: string, writtenOn: string): string[] {
  const latest = shiftDay(writtenOn, MAX_DAYS_AHEAD)
  const days = withoutQuotes(foldWords(text.slice(0, MAX_TEXT)))
    .split(SENTENCE_END)
    .filter(asks)
    .flatMap((sentence) => daysOf(sentence, writtenOn))
    .filter((day) => day <= latest)
  return [...new Set(days)].sort()
}

/** A line such as "On 12 May, Ana wrote:" begins a quote. */
function withoutQuotes(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd())
  const end = lines.findIndex((line) => line.endsWith(':') && ATTRIBUTION.test(line))
  return (end === -1 ? lines : lines.slice(0, end)).filter((line) => !line.startsWith('>')).join('\n')
}

function asks(sentence: string): boolean {
  const isPolite = POLITE.test(sentence)
  if (ANSWER.test(sentence)) return isPolite || !PROMISE.test(sentence)
  return BRIEF.test(sentence) || (isPolite && ACTION.test(sentence))
}

function daysOf(sentence: string, writtenOn: string): string[] {
  const dates = findDays(sentence, writtenOn)
  return [...sentence.matchAll(BY)]
    .filter(({ index }) => !isRange(sentence.slice(Math.max(0, index - LONGEST_WORD), index)))
    .flatMap(({ index, 0: by }) => readDay(sentence, index + by.length, dates, writtenOn) ?? [])
}

/** Such as "Montag bis Freitag". */
function isRange(before: string): boolean {
  const last = before.trimEnd().split(/[\s,]/).at(-1) ?? ''
  return WEEKDAY_OF.has(last) || last === 'uhr' || /^\d/.test(last)
}

/** Walks from "by" to its day. A written date decides over a weekday before it. */
function readDay(sentence: string, from: number, dates: NamedDay[], writtenOn: string): string | undefined {
  let read: Read = {}
  let at = from
  for (let words = 0; words < MAX_WORDS; words += 1) {
    const date = dateAt(sentence, at, dates, writtenOn)
    if (date !== undefined) return date
    const [all = '', word = ''] = matchAt(WORD, sentence, at) ?? []
    at += all.length
    const next = readWord(word, sentence, at, writtenOn)
    if (next === undefined) break
    read = { day: read.day ?? next.day, isUnclear: read.isUnclear || next.isUnclear }
  }
  return read.isUnclear ? undefined : read.day
}

function dateAt(sentence: string, at: number, dates: NamedDay[], writtenOn: string): string | undefined {
  const date = dates.find(({ from }) => from >= at && /^[\s.,:(]{0,3}$/.test(sentence.slice(at, from)))
  if (date !== undefined) return date.day
  const [, day, month] = matchAt(DAY_DOT_MONTH, sentence, at) ?? []
  return month && nameDay(undefined, Number(month), Number(day), writtenOn)
}

type Read = { day?: string | undefined; isUnclear?: boolean | undefined }

/** @returns undefined for a word that is not on the way to a day */
function readWord(word: string, sentence: string, after: number, writtenOn: string): Read | undefined {
  const weekday = WEEKDAY_OF.get(word)
  if (weekday !== undefined) {
    if (ORDINAL.has(word) && matchAt(ENDS, sentence, after) === undefined) return undefined
    return { day: comingWeekday(weekday, writtenOn), isUnclear: matchAt(UNCLEAR_AFTER, sentence, after) !== undefined }
  }
  if (TOMORROW.has(word)) return { day: shiftDay(writtenOn, 1) }
  if (UNCLEAR.has(word)) return { isUnclear: true }
  return SKIPPED.has(word) || /^\d/.test(word) ? {} : undefined
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | undefined {
  sticky.lastIndex = at
  return sticky.exec(text) ?? undefined
}

/** Undefined on the same weekday: that may be today or in a week. */
function comingWeekday(weekday: number, writtenOn: string): string | undefined {
  const ahead = (weekday - new Date(`${writtenOn}T12:00:00Z`).getUTCDay() + 7) % 7
  return ahead === 0 ? undefined : shiftDay(writtenOn, ahead)
}
