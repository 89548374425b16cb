/** Turns an identifier of an agency into words: `fall_detected` becomes "Fall detected", `med_refused` "Medication refused". */
export function eventInWords(name: string): string {
  const words = name
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .replace(/^meds?\b/i, 'medication')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
