import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The axe rules about color: the only ones that depend on dark mode. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** All rules in light mode, and in dark mode, which comes second, the rules about color. */
export async function violationsOf(page: Page, scheme: 'light' | 'dark'): Promise<string[]> {
  if (scheme === 'light') await page.evaluate(axe)
  const options = JSON.stringify({
    resultTypes: ['violations'],
    ...(scheme === 'dark' && { runOnly: { type: 'rule', values: COLOR_RULES } }),
  })
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`)
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
