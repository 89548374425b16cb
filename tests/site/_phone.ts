import type { Page } from 'playwright-core'

/** The narrowest screen (1280 px at 400 %, WCAG 2.2, 1.4.10), the most common phone, and a large one. In CSS pixels. */
const PHONES = [
  { width: 320, height: 568 },
  { width: 360, height: 640 },
  { width: 390, height: 844 },
]

/** More words than a line holds. */
export const LONG_NAME = 'Mercy Family Medicine and Rehabilitation Associates'
/** One word that is wider than a phone: a surname, cut short. */
export const LONG_WORD = 'Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenhaft'

/** What of the open page is not within a phone's screen. */
export async function findBeyondPhones(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const phone of PHONES) {
    await page.setViewportSize(phone)
    found.push(...(await page.evaluate<string[]>(FIND_BEYOND)).map((what) => `at ${phone.width} px: ${what}`))
  }
  return found
}

const FIND_BEYOND = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement
  const describe = (one) => one.cloneNode().outerHTML.slice(0, 120)
  const isWider = (one) => one.checkVisibility() && one.getBoundingClientRect().right + scrollX > clientWidth + 1
  const isBeyond = ({ left, right, top, bottom }) => left < 0 || top < 0 || right > innerWidth || bottom > innerHeight
  const bar = [...document.querySelectorAll('.main-nav, .main-nav a')]
  return [
    ...(scrollWidth > clientWidth ? ['the page is ' + scrollWidth + ' px wide'] : []),
    ...(scrollWidth > clientWidth ? [...document.querySelectorAll('main *')].filter(isWider).slice(0, 3).map(describe) : []),
    ...bar.filter((one) => isBeyond(one.getBoundingClientRect())).map((one) => 'off the screen: ' + describe(one)),
  ]
})()`

/** Adds a long name to every text on the page that contains what people wrote. */
export async function lengthenNames(page: Page, world: unknown): Promise<void> {
  const given = JSON.stringify({ words: [...wordsIn(world)], long: `${LONG_WORD} ${LONG_NAME}` })
  await page.evaluate(`(({ words, long }) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const isWritten = ({ data, parentElement }) => parentElement.closest('bdi') || words.some((word) => data.includes(word))
    while (texts.nextNode())
      if (texts.currentNode.data.trim() !== '' && isWritten(texts.currentNode)) texts.currentNode.data += ' ' + long
  })(${given})`)
}

/** Names and sentences in the state behind the fake services, without its ids, numbers and words of the protocol. */
function* wordsIn(value: unknown): Iterable<string> {
  if (typeof value === 'string' && /^[^_]{3,}$/.test(value) && /[A-Z@. ]/.test(value)) yield value
  if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) yield* wordsIn(one)
}
