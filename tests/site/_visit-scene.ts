import type { BrowserContext, Page } from 'playwright-core'
import type { RunningSite } from './_site.ts'
import { newWorld } from './_world.ts'
import type { Scene } from './scenes/_scene.ts'

/**
 * Opens a scene in a new world.
 * @param known an existing page to reuse
 */
export async function visitScene(
  context: BrowserContext,
  site: RunningSite,
  scene: Scene,
  known?: Page,
): Promise<Page> {
  Object.assign(site.world, { setUp: undefined }, newWorld())
  scene.arrange?.(site.world)
  await context.clearCookies()
  if (scene.signedIn) {
    site.world.sessions.add('secret')
    await context.addCookies([{ name: 'family_session', value: 'secret', url: site.url }])
  }
  const page = known ?? (await context.newPage())
  await page.goto((scene.isPublic ? site.publicUrl : site.url) + scene.path)
  await scene.act?.(page)
  return page
}
