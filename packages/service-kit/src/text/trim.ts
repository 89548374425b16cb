/** The text without these characters at its end. Linear, as a pattern such as `/[.,]+$/` is not: that tries every run it meets. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

/** The text without these characters at its start and its end. */
export function trimOf(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text.charAt(start))) start += 1
  return trimEndOf(text.slice(start), characters)
}
