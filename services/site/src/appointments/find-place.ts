/** More is no line of a letter. */
const MAX_LINE = 200
const MAX_LINES = 400

/** In English, Spanish, German, French and Portuguese, as letters name it before a colon. */
const LABEL =
  /^(?:location|where|place|address|venue|ort|adresse|wo|lieu|adresse|où|lugar|dirección|dónde|donde|local|endereço|morada|onde)\s{0,2}:\s{0,4}(\S.*)$/iu
/** A number and a street, as in American addresses, or a street and a number with a postal code after it. */
const STREET =
  /^\d{1,5}[A-Za-z]?\s(?:[\p{L}\d.'’-]+\s){1,5}(?:street|st|avenue|ave|road|rd|boulevard|blvd|drive|dr|lane|ln|way|court|ct|place|pl|parkway|pkwy|highway|hwy|square|plaza|suite|floor)\b.*$/iu
const POSTAL = /^\p{L}[\p{L}.'’ -]{3,60}\s\d{1,4}[a-z]?,?\s(?:\d{4,5}(?:-\d{3})?)\s\p{L}.*$/iu

/** The place that a letter names, on a line of its own or after a word such as "Location:"; empty if it names none. */
export function findPlace(text: string): string {
  const lines = text
    .split('\n', MAX_LINES)
    .map((line) => line.trim())
    .filter((line) => line !== '' && line.length <= MAX_LINE)
  const labeled = lines.flatMap((line) => LABEL.exec(line)?.[1] ?? [])[0]
  return labeled ?? lines.find((line) => STREET.test(line) || POSTAL.test(line)) ?? ''
}
