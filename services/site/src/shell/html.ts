/** Safe markup, created only by the `html` tag and `trustedHtml`. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[]

/** Escapes every value that is not markup. Always quote attributes, and pass foreign addresses through `webAddress`. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(strings.reduce((text, part, index) => text + render(values[index - 1]) + part))
}

/** Marks our own text as markup, such as rendered Markdown. Never use it for text that others wrote. */
export function trustedHtml(text: string): Html {
  return new Html(text)
}

/** Returns an address that is safe in `href` (http or https), or undefined. */
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
