import type { Locator, Page } from 'playwright-core'

export const PHONE = {
  viewport: { width: 360, height: 640 },
  isMobile: true,
  hasTouch: true,
  userAgent: 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36',
}

/** Counts what a person does: each tap, and each time they type something. */
export function countActions(page: Page) {
  let actions = 0
  return {
    async tap(target: Locator) {
      actions += 1
      await target.tap()
    },
    async type(target: Locator, text: string) {
      actions += 1
      await target.fill(text)
    },
    count: () => actions,
    button: (name: string | RegExp) => page.getByRole('button', { name }).first(),
    link: (name: string | RegExp) => page.getByRole('link', { name }).first(),
  }
}
