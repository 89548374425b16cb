/** Markup that is safe to send: only the `html` tag makes it, and `trustedHtml` for markup we wrote ourselves. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[]

/**
 * Writes markup from a template. What is put in is escaped, unless it is markup itself; a list is joined; false, null and
 * undefined leave nothing. Escaping holds in text and in quoted attributes, so attributes are always quoted; an address
 * that others wrote goes through `webAddress` first.
 */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(strings.reduce((text, part, index) => text + render(values[index - 1]) + part))
}

/** Markup that was written by us and not by the `html` tag, such as rendered Markdown of our own. Never for what others wrote. */
export function trustedHtml(text: string): Html {
  return new Html(text)
}

/** An address that may stand in `href`: http or https, else undefined. */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text)
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : undefined
}

function render(value: HtmlValue): string {
  if (value instanceof Html) return value.text
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'object') return value.map(render).join('')
  return String(value).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
}
